"""Fields that a scene asks for: on the surface and in cells, those and no others, the same on any
number of ranks; the contact pressure of a block that stands on a floor carries its weight, and is
as large at edges and corners as in the middle."""

import math
import os
import shutil
import sys

import frame_readers
import program
import surface_files

FPS, DENSITY, YOUNG, GRAVITY, FLOOR = 24, 1000, 1e7, 9.81, -0.1
SIDES = 0.39, 0.19, 0.39
ALL = "displacement, velocity, det_f, stress, contact_pressure, material, owner, fraction"
SCENE = f"""\
frames: {{first: 1, last: 13, fps: {FPS}}}
gravity: [0, -{GRAVITY}, 0]
bodies:
  - name: block
    mesh: "builtin:cube,x={SIDES[0]},y={SIDES[1]},z={SIDES[2]},detail=4"
    cell: 0.1
    material: {{young: {YOUNG}, poisson: 0.3, density: {DENSITY}}}
colliders:
  - {{name: floor, shape: {{plane: {{point: [0, {FLOOR}, 0], normal: [0, 1, 0]}}}}, stiffness: 2.0e+4}}
solver: {{newton: {{max: 20, tolerance: 1.0e-4}}, linear: {{max: 20, tolerance: 1.0e-3}}}}
output: {{every: 12, octree: true, fields: [{ALL}]}}
"""
ARRAYS = {"displacement", "velocity", "det_f", "von_mises", "pressure", "contact_pressure", "young",
          "poisson", "owner", "fraction"}


class FrameFields(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": SCENE})
        self.surface = self.path("run/surface_0013.vtkhdf")
        self.octree = self.path("run/octree_0013.vtkhdf")

    def run_scene(self, *arguments, **how):
        result = self.program.run("run", "scene.yaml", *arguments, folder=self.folder, **how)
        self.assertEqual(result.status, 0, result.errors)

    def field(self, file, name):
        return surface_files.numbers(file, f"/VTKHDF/{name}", "float32")

    def vectors(self, file, name):
        flat = self.field(file, name)
        return list(zip(flat[0::3], flat[1::3], flat[2::3], strict=True))

    def test_all(self):
        self.run_scene()
        self.check_surface()
        self.check_weight()
        self.check_cells()
        content = self.content()
        shutil.rmtree(self.path("run"))
        self.run_scene(ranks=3)
        self.assertTrue(self.content() == content)
        owners = surface_files.numbers(self.surface, "/VTKHDF/PointData/owner", "int32")
        self.assertEqual(set(owners), {0, 1, 2})

    def content(self):
        """All fields but the owners."""
        return [surface_files.raw(file, name) for file in (self.surface, self.octree)
                for name in sorted(frame_readers.arrays(file)) if not name.endswith("owner")]

    def check_surface(self):
        start = surface_files.points(self.path("run/surface_0001.vtkhdf"))
        moves = self.vectors(self.surface, "PointData/displacement")
        for before, now, move in zip(start, surface_files.points(self.surface), moves, strict=True):
            for a, b, c in zip(before, now, move):
                self.assertAlmostEqual(b - a, c, delta=1e-6)
        for name, value in (("det_f", 1), ("young", YOUNG), ("poisson", 0.3), ("owner", 0)):
            kind = "int32" if name == "owner" else "float32"
            for found in surface_files.numbers(self.surface, f"/VTKHDF/PointData/{name}", kind):
                self.assertAlmostEqual(found, value, delta=0.01 * abs(value))

    def area_on_floor(self):
        """Of each point, on the side that stands on the floor."""
        points = surface_files.points(self.surface)
        corners = surface_files.numbers(self.surface, "/VTKHDF/Connectivity", "int64")
        area = len(points) * [0]
        for first in range(0, len(corners), 3):
            face = corners[first:first + 3]
            if any(points[corner][1] > FLOOR for corner in face):
                continue
            u, v = ([b - a for a, b in zip(points[face[0]], points[face[k]])] for k in (1, 2))
            cross = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
            for corner in face:
                area[corner] += sum(x * x for x in cross) ** 0.5 / 6
        return area

    def check_weight(self):
        """The block weighs what its mesh says, and so do its cells; it has come to rest."""
        self.assertLess(max(abs(v) for v in self.field(self.surface, "PointData/velocity")), 1e-2)
        points = self.vectors(self.octree, "Points")
        moves = self.vectors(self.octree, "PointData/displacement")
        corners = surface_files.numbers(self.octree, "/VTKHDF/Connectivity", "int32")
        edges = [points[j][0] - moves[j][0] - points[i][0] + moves[i][0]
                 for i, j in zip(corners[0::8], corners[1::8])]
        inside = self.field(self.octree, "CellData/fraction")
        volume = sum(edge ** 3 * part for edge, part in zip(edges, inside, strict=True))
        self.assertAlmostEqual(volume, math.prod(SIDES), delta=1e-5 * math.prod(SIDES))
        weight = GRAVITY * DENSITY * math.prod(SIDES)
        press = self.field(self.surface, "PointData/contact_pressure")
        area = self.area_on_floor()
        force = sum(p * a for p, a in zip(press, area, strict=True))
        self.assertAlmostEqual(force, weight, delta=0.01 * weight)
        even = weight / sum(area)
        for p, (_, y, _) in zip(press, surface_files.points(self.surface), strict=True):
            self.assertAlmostEqual(p, even if y < FLOOR else 0, delta=0.03 * even)

    def check_cells(self):
        """A cell has the pressure of the vertex in it that is pressed most."""
        on_surface = self.field(self.surface, "PointData/contact_pressure")
        in_cells = self.field(self.octree, "CellData/contact_pressure")
        self.assertEqual(max(on_surface), max(in_cells))
        self.assertLessEqual(set(in_cells), {0, *on_surface})
        self.assertIn(0, in_cells)
        self.assertEqual(frame_readers.grids(self.path("run/surface.xmf"))[1].fields,
                         ARRAYS | {"body"})
        surface, octree = frame_readers.vtk(self, self.surface, self.octree)
        self.assertEqual(set(surface["point_data"]), ARRAYS)
        self.assertEqual(set(octree["point_data"]) | set(octree["cell_data"]), ARRAYS | {"body"})

    def test_some(self):
        """None, and some; frames from before stay in the series as they are."""
        last = ("-P", "frames.last=2", "-P", "output.every=1", "-P", "output.checkpoint.every=1")
        self.run_scene(*last, "-P", "output.fields=[]")
        self.assertEqual(frame_readers.arrays(self.path("run/octree_0002.vtkhdf")),
                         {"/VTKHDF/CellData/body"})
        self.run_scene("--restart", *last[2:], "-P", "frames.last=3", "-P",
                       "output.fields=[owner, velocity]")
        for kind in ("surface", "octree"):
            grids = frame_readers.grids(self.path(f"run/{kind}.xmf"))
            self.assertEqual([grid.fields for grid in grids],
                             [{"body"}, {"body"}, {"body", "owner", "velocity"}])

    def test_wrong_names(self):
        for value, message in (
                ("[velocity, speed]", "expected one of displacement, velocity, det_f, stress, "
                                      'contact_pressure, material, owner, fraction, got "speed"'),
                ("velocity", "expected a list, each one of displacement, velocity")):
            result = self.program.run("run", "scene.yaml", "-P", f"output.fields={value}",
                                      folder=self.folder)
            self.assertEqual(result.status, 1)
            self.assertIn(message, result.errors)
            self.assertFalse(os.path.exists(self.path("run")))


if __name__ == "__main__":
    if not shutil.which("h5dump"):
        sys.exit(77)
    program.main()
