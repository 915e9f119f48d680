"""What Blender makes of `sinew export`: all frames, and the frames' positions to the last bit that
single precision has; and caches on the meshes that a run began with, seams included."""

import json
import os
import subprocess

import assets
import program
import seamed_meshes
import small_run
from surface_files import rounded_points

HELPERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers")


def blender(script, *arguments):
    # A Blender of the system looks along the PATH for the Python that its modules are of.
    environment = dict(os.environ, PATH=os.defpath + os.pathsep + os.environ["PATH"])
    done = subprocess.run(
        ["blender", "-b", "--factory-startup", "--python-exit-code", "1", "--python",
         os.path.join(HELPERS, script), "--", *arguments],
        env=environment, capture_output=True, text=True, timeout=program.TIMEOUT)
    assert done.returncode == 0, done.stdout + done.stderr


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
        blender("inside_blender.py", os.path.join(cls.run_folder, "run"), answer,
                *map(str, (small_run.STEP, small_run.FPS, *small_run.FRAMES)))
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


class CachesOnAssets(assets.AssetTest):
    """Boxes are carried along: the place in the texture tells which vertex a corner must be."""
    loose = False  # Blender leaves out vertices that are in no face

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        names = list(assets.FILES.values())
        for body, name in assets.FILES.items():
            cls.sinew("export", "run", "--to", "pc2", "--body", body, "--output", f"{name}.pc2")
        answer = os.path.join(cls.made, "answer.json")
        blender("assets_inside_blender.py", cls.made, answer, str(assets.FRAMES[-1]), *names)
        with open(answer) as file:
            cls.seen = json.load(file)

    def check(self, name, vertex_of):
        """`vertex_of` has the vertex of the file for each place in the texture."""
        seen, found = self.seen[name], 0
        for vertex, uv in seen["corners"]:
            expected, = assets.moved([vertex_of[tuple(round(32 * x) for x in uv)]],
                                     assets.FRAMES[-1])
            if name.endswith(".gltf"):  # the import turns it
                expected = expected[0], -expected[2], expected[1]
            for x, y in zip(seen["positions"][vertex], expected):
                self.assertAlmostEqual(x, y, delta=assets.ALMOST)
            found += 1
        self.assertGreater(found, 20)

    def test_gltf_with_seams(self):
        vertices, places, _ = seamed_meshes.split_box(loose=False)
        self.check("split.gltf", {tuple(round(32 * x) for x in place): vertex
                                  for vertex, place in zip(vertices, places)})

    def test_obj_with_seams_and_polygons(self):
        vertices, faces = seamed_meshes.quad_box()
        self.check("faces.obj", {tuple(round(32 * x) for x in place): vertices[corner]
                                 for face, places in zip(faces, seamed_meshes.obj_places())
                                 for corner, place in zip(face, places)})

    def test_stl(self):
        expected = assets.moved(seamed_meshes.stl_points(), assets.FRAMES[-1])
        for point, right in zip(self.seen["welded.stl"]["positions"], expected, strict=True):
            for x, y in zip(point, right):
                self.assertAlmostEqual(x, y, delta=assets.ALMOST)


if __name__ == "__main__":
    program.need("blender", "h5dump")
    program.main()
