"""Surface frames as other programs see them: the same on any number of ranks, with the positions
that frames.csv has the digest of; VTK opens them."""

import csv
import os
import shutil
import sys

import frame_readers
import program
import surface_files

RANKS = (1, 3, 7)
X, Y, Z = 1, 0.2, 0.2
CORNERS = [(x, y, z) for z in (0, Z) for y in (0, Y) for x in (0, X)]
BEAM = "".join("v %g %g %g\n" % corner for corner in CORNERS) + """\
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6
"""
SCENE = """\
name: frames
frames: {first: 3, last: 8, fps: 25}
bodies:
  - {name: bar, mesh: beam.obj, cell: 0.1, material: {young: 1.0e5}}
  - {name: bäll, mesh: "builtin:sphere,radius=0.3,detail=12", cell: 0.15}
pins:
  - {name: left, body: bar, region: {box: {min: [-1, -1, -1], max: [0.07, 1, 1]}}}
  - {name: core, body: bäll, region: {sphere: {center: [0, 0, 0], radius: 0.2}},
     motion: {keys: [{frame: 3}, {frame: 8, translate: [0, 0.1, 0]}]}}
solver: {newton: {max: 20, tolerance: 1.0e-3}, linear: {max: 20, tolerance: 1.0e-3}}
output: {every: 2}
"""
FRAMES, TRIANGLE = [3, 5, 7], 5


class SurfaceFrames(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write({"beam.obj": BEAM, "scene.yaml": SCENE})

    def run_scene(self, **how):
        result = self.program.run("run", "scene.yaml", folder=self.folder, **how)
        self.assertEqual(result.status, 0, result.errors)

    def paths(self):
        return [surface_files.frame_path(self.path("run"), frame) for frame in FRAMES]

    def digests(self):
        with open(self.path("run/frames.csv"), newline="") as file:
            return {int(row["frame"]): row["digest"] for row in csv.DictReader(file)}

    def test_same_on_any_ranks(self):
        self.run_scene()
        expected = [surface_files.content(path) for path in self.paths()]
        for ranks in RANKS[1:] if self.sanitized else RANKS:
            shutil.rmtree(self.path("run"))
            self.run_scene(ranks=ranks)
            for path, content in zip(self.paths(), expected, strict=True):
                self.assertTrue(surface_files.content(path) == content, path)

    def test_content(self):
        self.run_scene()
        self.assertEqual(sorted(name for name in os.listdir(self.path("run")) if "surface" in name),
                         ["surface.xmf", *map(os.path.basename, self.paths())])
        digests = self.digests()
        for frame, path in zip(FRAMES, self.paths(), strict=True):
            points = surface_files.points(path)
            if surface_files.digest([]):
                self.assertEqual(surface_files.digest(points), digests[frame])
            self.check_faces(path, len(points))
        self.assertEqual(surface_files.text(self.paths()[0], "/sinew/name"), "bar\0\0b\u00e4ll")
        with open(self.path("run/scene.yaml")) as file:
            scene = file.read()
        self.assertEqual(surface_files.attribute(self.paths()[0], "/sinew/scene"), scene)
        self.assertRegex(surface_files.attribute(self.paths()[0], "/sinew/version"), r"^\d+\.\d+")
        self.assertIn("seconds", surface_files.attribute(self.paths()[0], "/sinew/units"))
        start = surface_files.points(self.paths()[0])
        for corner, point in zip(CORNERS, start):
            for there, here in zip(corner, point):
                self.assertAlmostEqual(there, here, 12)

    def check_faces(self, path, n_points):
        corners = surface_files.numbers(path, "/VTKHDF/Connectivity", "int64")
        types = surface_files.numbers(path, "/VTKHDF/Types", "uint8")
        bodies = surface_files.numbers(path, "/VTKHDF/CellData/body", "int32")
        n_faces = len(types)
        self.assertEqual(surface_files.numbers(path, "/VTKHDF/Offsets", "int64"),
                         list(range(0, 3 * n_faces + 1, 3)))
        self.assertEqual(set(types), {TRIANGLE})
        self.assertEqual(bodies, 12 * [0] + (n_faces - 12) * [1])
        self.assertEqual(len(corners), 3 * n_faces)
        self.assertEqual(set(corners[:36]), set(range(8)))
        self.assertEqual(set(corners[36:]), set(range(8, n_points)))
        # Each quad of the beam gave two triangles of its own corners.
        quads = [[int(word) - 1 for word in line.split()[1:]] for line in BEAM.splitlines()
                 if line.startswith("f")]
        for i, quad in enumerate(quads):
            self.assertEqual(set(corners[6 * i:6 * i + 6]), set(quad))

    def test_series(self):
        self.run_scene()
        grids = frame_readers.grids(self.path("run/surface.xmf"))
        self.assertEqual([grid.time for grid in grids],
                         [(frame - FRAMES[0]) / 25 for frame in FRAMES])
        for grid, path in zip(grids, self.paths(), strict=True):
            self.assertEqual(grid.file, os.path.basename(path))
            self.assertEqual(grid.fields, {"body"})
            frame_readers.check_arrays(self, grid, path)

    def test_vtk(self):
        self.run_scene()
        for path, grid in zip(self.paths(), frame_readers.vtk(self, *self.paths()), strict=True):
            points = surface_files.points(path)
            types = surface_files.numbers(path, "/VTKHDF/Types", "uint8")
            self.assertEqual((grid["points"], grid["cells"]), (len(points), len(types)))
            self.assertEqual((grid["type"], grid["cell_data"]), (TRIANGLE, {"body": [0, 1]}))
            self.assertEqual(grid["point_data"], {})
            used = [end(axis) for axis in zip(*points) for end in (min, max)]
            self.assertEqual(grid["bounds"], used)


if __name__ == "__main__":
    program.need("h5dump")
    program.main()
