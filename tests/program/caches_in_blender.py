"""What Blender makes of `sinew export`: all frames, and the frames' positions to the last bit that
single precision has."""

import json
import os
import subprocess

import program
import small_run
from surface_files import rounded_points

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers", "inside_blender.py")


def tuples(points):
    return list(map(tuple, points))


class CachesInBlender(small_run.SmallRunTest):
    @classmethod
    def setUpClass(cls):
        """One start of Blender looks at everything."""
        super().setUpClass()
        for form in ("pc2", "mdd", "obj", "ply"):
            cls.sinew("export", "run", "--to", form)
        answer = os.path.join(cls.run_folder, "answer.json")
        done = subprocess.run(
            ["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python", SCRIPT,
             "--", os.path.join(cls.run_folder, "run"), answer,
             *map(str, (small_run.STEP, small_run.FPS, *small_run.FRAMES))],
            capture_output=True, text=True, timeout=program.TIMEOUT)
        assert done.returncode == 0, done.stdout + done.stderr
        with open(answer) as file:
            cls.made = json.load(file)
        cls.expected = [rounded_points(points) for points in cls.points]

    def check_meshes(self, form, vertices):
        """Positions of these vertices, and faces between them."""
        place = {vertex: i for i, vertex in enumerate(vertices)}
        faces = [tuple(place[corner] for corner in face) for face in self.faces]
        for (points, made_faces), expected in zip(self.made[form], self.expected, strict=True):
            self.assertEqual(tuples(points), [expected[vertex] for vertex in vertices])
            self.assertEqual(tuples(made_faces), faces)

    def test_obj(self):
        """Blender leaves out vertices that are in no face."""
        used = sorted({corner for face in self.faces for corner in face})
        self.assertLess(len(used), len(self.expected[0]))
        self.check_meshes("obj", used)

    def test_ply(self):
        self.check_meshes("ply", range(len(self.expected[0])))

    def test_caches(self):
        """Before its first sample and after its last a cache stands still."""
        first, last = self.expected[0], self.expected[-1]
        for form in ("pc2", "mdd"):
            self.assertEqual([tuples(points) for points in self.made[form]],
                             [first, *self.expected, last])

    def test_times(self):
        self.assertEqual([tuples(points) for points in self.made["mdd_times"]], self.expected)


if __name__ == "__main__":
    program.need("blender", "h5dump")
    program.main()
