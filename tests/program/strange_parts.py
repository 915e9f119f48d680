"""Bodies that are strange in single cells, with their parts apart: a sheet that is folded in a cell,
a hole through one, an edge that four faces share, shells that overlap or touch, an open box, faces
that are there twice. A run of all of them ends well, on any number of ranks with the same rows, and
what only touches at rest comes apart."""

import csv
import shutil

import program

CELL = 0.1
FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
RANKS = (2, 3, 4, 7)


class Mesh:
    def __init__(self):
        self.vertices, self.faces = [], []

    def vertex(self, *place):
        if place not in self.vertices:
            self.vertices.append(place)
        return self.vertices.index(place) + 1

    def face(self, *places):
        self.faces.append([self.vertex(*place) for place in places])

    def box(self, low, high, faces=FACES):
        corners = [(x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1])
                   for x in (low[0], high[0])]
        for face in faces:
            self.face(*(corners[i] for i in face))
        return self

    def prism(self, outline, low, high):
        """An outline that goes around counterclockwise, seen from above."""
        self.face(*((x, y, low) for x, y in reversed(outline)))
        self.face(*((x, y, high) for x, y in outline))
        for (x, y), (u, v) in zip(outline, outline[1:] + outline[:1]):
            self.face((x, y, low), (u, v, low), (u, v, high), (x, y, high))
        return self

    def text(self, before=0):
        """As OBJ, behind so many other vertices."""
        return ("".join("v %r %r %r\n" % v for v in self.vertices) +
                "".join("f " + " ".join(str(before + i) for i in f) + "\n" for f in self.faces))


def pierced():
    """A plate with a hole that is narrower than a cell."""
    mesh, low, high = Mesh(), 0.0, 0.12
    outer = [(0.0, 0.0), (0.45, 0.0), (0.45, 0.45), (0.0, 0.45)]
    inner = [(0.22, 0.22), (0.26, 0.22), (0.26, 0.26), (0.22, 0.26)]
    for i in range(4):
        (a, b), (c, d) = (outer[i], outer[(i + 1) % 4]), (inner[i], inner[(i + 1) % 4])
        mesh.face((*a, high), (*b, high), (*d, high), (*c, high))
        mesh.face((*a, low), (*c, low), (*d, low), (*b, low))
        mesh.face((*a, low), (*b, low), (*b, high), (*a, high))
        mesh.face((*d, low), (*c, low), (*c, high), (*d, high))
    return mesh


FOLD = [(0.0, 0.0), (0.42, 0.0), (0.42, 0.03), (0.03, 0.03), (0.03, 0.05), (0.42, 0.05),
        (0.42, 0.08), (0.0, 0.08)]
MESHES = {
    "folded": Mesh().prism(FOLD, 0.0, 0.3),
    "pierced": pierced(),
    "edge": Mesh().box((0.0, 0.0, 0.0), (0.25, 0.25, 0.3)).box((0.25, 0.25, 0.0), (0.5, 0.5, 0.3)),
    "overlapping": Mesh().box((0.0, 0.0, 0.0), (0.3, 0.3, 0.3)).box((0.23, 0.1, 0.1), (0.5, 0.2, 0.2)),
    "open": Mesh().box((0.0, 0.0, 0.0), (0.35, 0.35, 0.35), FACES[:5]),
    "twice": Mesh().box((0.0, 0.0, 0.0), (0.35, 0.35, 0.35), FACES + FACES[:2]),
    "needles": Mesh(),
}
for i in range(100):  # more than a cell has copies
    at = (0.01 * (i % 10), 0.01 * (i // 10))
    MESHES["needles"].box((*at, 0.0), (at[0] + 0.005, at[1] + 0.005, 0.25))

SCENE = """\
name: strange
frames: {first: 1, last: 3, fps: 24}
gravity: [0, 0, -9.81]
bodies:
""" + "".join(
    f"  - {{name: {name}, mesh: {name}.obj, cell: {CELL}, place: {{translate: [{i}, 0, 0]}}, "
    "material: {young: 1.0e5}}\n" for i, name in enumerate(MESHES)) + """\
pins:
""" + "".join(
    f"  - {{name: {name}, body: {name}, region: {{box: {{min: [{i - 0.1}, -1, -1], "
    f"max: [{i + 0.04}, 2, 2]}}}}}}\n" for i, name in enumerate(MESHES)) + """\
solver: {newton: {max: 30, tolerance: 1.0e-4}, linear: {max: 60, tolerance: 1.0e-3}}
output: {dir: run, octree: true}
"""

TOUCHING = f"""\
name: touching
frames: {{first: 1, last: 3, fps: 24}}
gravity: [0, 0, 0]
bodies: [BODIES]
pins:
  - {{name: low, body: LOW, region: {{box: {{min: [-1, -1, -1], max: [2, 2, 0.01]}}}}}}
  - name: high
    body: HIGH
    region: {{box: {{min: [-1, -1, 0.29], max: [2, 2, 1]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 3, translate: [0.02, 0, 0.5]}}]}}
solver: {{mode: quasistatic, newton: {{max: 20, tolerance: 1.0e-6}}}}
output: {{dir: run}}
"""
BODY = f"{{name: NAME, mesh: NAME.obj, cell: {CELL}, material: {{young: 1.0e5}}}}"


class StrangeParts(program.ProgramTest):
    def rows(self, *arguments, **how):
        result = self.program.run("run", "scene.yaml", "--overwrite", *arguments,
                                  folder=self.folder, **how)
        self.assertEqual(result.status, 0, result.errors)
        with open(self.path("run/frames.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            del row["seconds"]
        return rows, result.errors

    def test_all_of_them(self):
        self.write({"scene.yaml": SCENE, **{f"{n}.obj": m.text() for n, m in MESHES.items()}})
        expected, errors = self.rows()
        self.assertIn("cells hold more than 64 parts of a body", errors)
        for ranks in RANKS[1:2] if self.sanitized else RANKS:
            shutil.rmtree(self.path("run"))
            self.assertEqual(self.rows(ranks=ranks)[0], expected)

    def separate(self, bodies, low, high):
        text = ", ".join(BODY.replace("NAME", name) for name in bodies)
        self.write({"scene.yaml": TOUCHING.replace("BODIES", text).replace("LOW", low)
                   .replace("HIGH", high)})
        for row in self.rows()[0]:
            self.assertLess(float(row["elastic_energy"]), 1e-15)

    def test_shells_that_touch(self):
        """Two boxes of one mesh with a common face, in the middle of a cell and between two."""
        for middle in (0.15, 0.2):
            lower = Mesh().box((0, 0, 0), (0.3, 0.2, middle))
            upper = Mesh().box((0, 0, middle), (0.3, 0.2, 0.3))
            self.write({"shells.obj": lower.text() + upper.text(len(lower.vertices))})
            self.separate(["shells"], "shells", "shells")

    def test_bodies_that_touch(self):
        self.write({"lower.obj": Mesh().box((0, 0, 0), (0.3, 0.2, 0.15)).text(),
                    "upper.obj": Mesh().box((0, 0, 0.15), (0.3, 0.2, 0.3)).text()})
        self.separate(["lower", "upper"], "lower", "upper")


if __name__ == "__main__":
    program.main()
