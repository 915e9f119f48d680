"""What ParaView makes of a run's frames: a series of surfaces, a series of octrees, and the XDMF
file, each with all its times, positions, cells and fields."""

import json
import os
import subprocess

import program
import small_run
import surface_files
from small_run import FRAMES

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers", "inside_paraview.py")
CELL_FIELDS = {"body": "int32", "owner": "int32", "contact_pressure": "float32",
               "det_f": "float32", "fraction": "float32", "poisson": "float32", "pressure": "float32",
               "von_mises": "float32", "young": "float32"}
POINT_FIELDS = ("displacement", "velocity")
CORNERS = 8  # of an octree's cell


def tuples(rows):
    return list(map(tuple, rows))


def single(values):
    return [(value,) for value in values]


class FramesInParaView(small_run.SmallRunTest):
    scene_values = ("output.octree=true",)

    @classmethod
    def setUpClass(cls):
        """One start of ParaView looks at everything."""
        super().setUpClass()
        done = subprocess.run(["pvpython", SCRIPT, os.path.join(cls.run_folder, "run")],
                              capture_output=True, text=True, timeout=program.TIMEOUT)
        assert done.returncode == 0, done.stdout + done.stderr
        cls.made = json.loads(done.stdout)

    def check_surface(self, steps, times):
        self.assertEqual([step["time"] for step in steps], times)
        for step, path, points in zip(steps, self.frame_paths(), self.points, strict=True):
            self.assertEqual(tuples(step["points"]), points)
            self.assertEqual(tuples(step["cells"]), self.faces)
            bodies = surface_files.numbers(path, "/VTKHDF/CellData/body", "int32")
            self.assertEqual(tuples(step["cell_fields"]["body"]), single(bodies))

    def test_surface(self):
        self.check_surface(self.made["surface"], list(range(len(FRAMES))))

    def test_series(self):
        self.check_surface(self.made["series"],
                           [(frame - FRAMES[0]) / small_run.FPS for frame in FRAMES])

    def test_octree(self):
        self.assertEqual(len(self.made["octree"]), len(FRAMES))
        for step, frame in zip(self.made["octree"], FRAMES):
            self.check_octree(step, os.path.join(self.run_folder, f"run/octree_{frame:04}.vtkhdf"))
        one, *_, other = self.made["octree"]
        self.assertNotEqual(one["points"], other["points"])

    def check_octree(self, step, path):
        self.assertEqual(tuples(step["points"]), self.vectors(path, "Points"))
        corners = surface_files.numbers(path, "/VTKHDF/Connectivity", "int32")
        self.assertEqual(step["cells"], [corners[i:i + CORNERS]
                                         for i in range(0, len(corners), CORNERS)])
        self.assertEqual(set(step["cell_fields"]), set(CELL_FIELDS))
        for name, kind in CELL_FIELDS.items():
            self.assertEqual(tuples(step["cell_fields"][name]), single(
                surface_files.numbers(path, f"/VTKHDF/CellData/{name}", kind)), name)
        self.assertEqual(set(step["point_fields"]), set(POINT_FIELDS))
        for name in POINT_FIELDS:
            self.assertEqual(tuples(step["point_fields"][name]),
                             self.vectors(path, f"PointData/{name}"), name)

    def vectors(self, path, name):
        return surface_files.triples(surface_files.numbers(path, f"/VTKHDF/{name}", "float32"))


if __name__ == "__main__":
    program.need("pvpython", "h5dump")
    program.main()
