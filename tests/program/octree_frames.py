"""Cells as frames: a body that is turned and stretched as a whole has fields that are known, cell
by cell, hanging corners included; and the files are the same on any number of ranks."""

import json
import math
import os
import shutil

import frame_readers
import program
import surface_files

STRETCH, SHIFT = (1.1, 0.95, 1.2), (0.2, 0, -1)
YOUNG, POISSON, FPS = 1.0e5, 0.3, 25
HEXAHEDRON = 12
# Stretched along the axes, then turned by a quarter about z.
AFFINE = [[0, -STRETCH[1], 0, SHIFT[0]], [STRETCH[0], 0, 0, SHIFT[1]], [0, 0, STRETCH[2], SHIFT[2]]]
SCENE = f"""\
name: cells
frames: {{first: 3, last: 4, fps: {FPS}}}
bodies:
  - name: ball
    mesh: "builtin:sphere,radius=0.5,detail=8"
    cell: 0.06
    material: {{young: {YOUNG}, poisson: {POISSON}}}
pins:
  - name: all
    body: ball
    region: {{sphere: {{center: [0, 0, 0], radius: 9}}}}
    motion: {{keys: [{{frame: 3}}, {{frame: 4, affine: {AFFINE}}}]}}
solver: {{newton: {{max: 40}}}}
output: {{octree: true}}
"""
WAYS = ((1, "parmetis"), (3, "curve"), (3, "parmetis"), (7, "curve"))


class OctreeFrames(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": SCENE})
        self.file = self.path("run/octree_0004.vtkhdf")

    def run_scene(self, *arguments, **how):
        result = self.program.run("run", "scene.yaml", *arguments, folder=self.folder, **how)
        self.assertEqual(result.status, 0, result.errors)

    def floats(self, name):
        return surface_files.numbers(self.file, name, "float32")

    def vectors(self, name):
        return surface_files.triples(self.floats(name))

    def check_all(self, name, expected):
        for value in self.floats(f"/VTKHDF/CellData/{name}"):
            self.assertAlmostEqual(value, expected, delta=1e-5 * abs(expected))

    def test_known_fields(self):
        self.run_scene(ranks=3)
        elements = json.loads(self.info("scene.yaml", "--json").output)["elements"]
        types = surface_files.numbers(self.file, "/VTKHDF/Types", "uint8")
        self.assertEqual(types, elements * [HEXAHEDRON])
        mu = YOUNG / (2 * (1 + POISSON))
        factor = YOUNG * POISSON / ((1 + POISSON) * (1 - 2 * POISSON))
        stress = [(2 * mu * (f - 1) + factor * (sum(STRETCH) - 3)) * f for f in STRETCH]
        self.check_all("det_f", math.prod(STRETCH))
        self.check_all("pressure", -sum(stress) / 3)
        self.check_all("von_mises", math.sqrt(
            sum((stress[i] - stress[i - 1]) ** 2 for i in range(3)) / 2))
        self.check_all("young", YOUNG)
        self.check_all("poisson", POISSON)
        owners = surface_files.numbers(self.file, "/VTKHDF/CellData/owner", "int32")
        self.assertEqual(owners, sorted(owners))
        self.assertEqual(set(owners), {0, 1, 2})
        self.check_points()
        self.check_sharing()
        self.check_readers(elements)

    def check_readers(self, elements):
        fields = {"det_f", "von_mises", "pressure", "contact_pressure", "young", "poisson", "owner",
                  "body", "displacement", "velocity"}
        grids = frame_readers.grids(self.path("run/octree.xmf"))
        self.assertEqual([(grid.time, grid.file) for grid in grids],
                         [(0, "octree_0003.vtkhdf"), (1 / FPS, "octree_0004.vtkhdf")])
        self.assertEqual(grids[1].fields, fields)
        frame_readers.check_arrays(self, grids[1], self.file)
        with open(self.path("run/scene.yaml")) as file:
            self.assertEqual(surface_files.attribute(self.file, "/sinew/scene"), file.read())
        self.assertEqual(surface_files.attribute(self.file, "/VTKHDF/PointData/velocity/units"),
                         "length/s")
        (grid,) = frame_readers.vtk(self, self.file)
        self.assertEqual((grid["cells"], grid["type"]), (elements, HEXAHEDRON))
        self.assertEqual(set(grid["point_data"]) | set(grid["cell_data"]), fields)
        self.assertEqual(grid["cell_data"]["owner"], [0, 2])

    def check_points(self):
        points = self.vectors("/VTKHDF/Points")
        moves = self.vectors("/VTKHDF/PointData/displacement")
        velocities = self.vectors("/VTKHDF/PointData/velocity")
        for point, move, velocity in zip(points, moves, velocities, strict=True):
            rest = [a - b for a, b in zip(point, move)]
            for d in range(3):
                there = sum(AFFINE[d][k] * rest[k] for k in range(3)) + AFFINE[d][3]
                self.assertAlmostEqual(point[d], there, delta=1e-5)
                self.assertAlmostEqual(velocity[d], FPS * move[d], delta=1e-4)
        self.check_cells(points)

    def check_sharing(self):
        """Where corners of cells meet there is one point, and no point is anywhere else."""
        corners = surface_files.numbers(self.file, "/VTKHDF/Connectivity", "int32")
        points = self.vectors("/VTKHDF/Points")
        lattice = {tuple(round(32 * c / 0.06) for c in point) for point in points}
        self.assertEqual(len(lattice), len(points))
        self.assertEqual(sorted(set(corners)), list(range(len(points))))

    def check_cells(self, points):
        """Going around as VTK wants, each cell has the volume of a stretched cube."""
        corners = surface_files.numbers(self.file, "/VTKHDF/Connectivity", "int32")
        sizes = set()
        for first in range(0, len(corners), 8):
            p = [points[corner] for corner in corners[first:first + 8]]
            x, y, z = ([b - a for a, b in zip(p[0], p[i])] for i in (1, 3, 4))
            volume = (x[0] * (y[1] * z[2] - y[2] * z[1]) - x[1] * (y[0] * z[2] - y[2] * z[0]) +
                      x[2] * (y[0] * z[1] - y[1] * z[0]))
            edge = (volume / math.prod(STRETCH)) ** (1 / 3)
            sizes.add(round(edge / 0.06, 3))
            far = [a + b + c + d for a, b, c, d in zip(p[0], x, y, z)]
            for a, b in zip(far, p[6]):
                self.assertAlmostEqual(a, b, delta=1e-5)
        self.assertTrue(sizes >= {1, 2} and sizes <= {1, 2, 4, 8}, sizes)

    def content(self):
        options = [option for name in ("/VTKHDF/Points", "/VTKHDF/PointData", "/VTKHDF/Connectivity",
                                       "/VTKHDF/CellData/det_f", "/VTKHDF/CellData/von_mises",
                                       "/VTKHDF/CellData/pressure", "/VTKHDF/CellData/body")
                   for option in ("-g" if name.endswith("PointData") else "-d", name)]
        return surface_files.dump(self.file, "-m", "%.9g", *options)

    def test_same_on_any_ranks(self):
        scene = ("-P", "pins.all.region.sphere.radius=0.2")  # the rest hangs and swings
        self.run_scene(*scene)
        expected = self.content()
        for ranks, method in WAYS[1:3] if self.sanitized else WAYS:
            shutil.rmtree(self.path("run"))
            self.run_scene(*scene, "-P", f"partition.method={method}", ranks=ranks)
            self.assertTrue(self.content() == expected, (ranks, method))

    def test_overwrite(self):
        self.run_scene()
        self.assertLessEqual({"octree_0004.vtkhdf", "octree.xmf"},
                             set(os.listdir(self.path("run"))))
        self.run_scene("--overwrite", "-P", "output.octree=false")
        self.assertFalse([name for name in os.listdir(self.path("run")) if "octree" in name])


if __name__ == "__main__":
    program.need("h5dump")
    program.main()
