"""Shots with bones, colliders, friction and flesh against flesh: the same bits everywhere, arms
that do not pass through each other, and contact that cannot be resolved is named."""

import csv
import itertools
import os
import re
import shutil

import program
import touching_scene

DONE, INACCURATE = 0, 4
FEW_WAYS = ((3, 2, "parmetis"),)  # with slow sanitizers

# A body in the shape of a U that lies on its side, of cubes: its arms go along x.
SIDE = 0.05
ARM, THICK, GAP, WIDE = 12, 2, 3, 2
ROOM = THICK * SIDE, (THICK + GAP) * SIDE  # between the arms, in y
ARMS = f"""\
name: arms
frames: {{first: 1, last: 9, fps: 24}}
gravity: [0, 0, 0]
bodies:
  - {{name: tongs, mesh: tongs.obj, cell: {SIDE}, material: {{young: 5.0e4, poisson: 0.3}}}}
pins:
  - name: handle
    body: tongs
    region: {{box: {{min: [-1, -1, -1], max: [0.06, 1, 1]}}}}
  - name: lower
    body: tongs
    region: {{box: {{min: [0.54, -1, -1], max: [1, 0.06, 1]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 9, translate: [-0.05, 0.24, 0.03]}}]}}
self_collision: {{enabled: true, stiffness: 4.0e+3, friction: 0.1}}
solver: {{newton: {{max: 30, tolerance: 1.0e-3}}, linear: {{max: 20, tolerance: 1.0e-3}}}}
output: {{every: 1}}
"""

# Two plates close on a block until nothing is left between them.
PRESS = """\
name: press
frames: {first: 1, last: 6, fps: 24}
gravity: [0, 0, 0]
bodies:
  - {name: block, mesh: "builtin:cube,size=0.5,detail=5", cell: 0.1, material: {young: 1.0e4}}
colliders:
  - name: below
    shape: {plane: {point: [0, -0.26, 0], normal: [0, 1, 0]}}
    stiffness: 300
  - name: above
    shape: {box: {min: [-1, 0.26, -1], max: [1, 0.5, 1]}}
    stiffness: 300
    motion: {keys: [{frame: 1}, {frame: 5, translate: [0, -0.52, 0]}]}
solver: {newton: {max: 30, tolerance: 1.0e-3}, linear: {max: 20, tolerance: 1.0e-3}}
"""

# A coarse block sinks into a soft floor, by less than a cell of its own; beside it is a fine pea.
SINK = """\
name: sink
frames: {first: 1, last: 4, fps: 24}
bodies:
  - {name: block, mesh: "builtin:cube,size=0.8,detail=4", cell: 0.4}
  - {name: pea, mesh: "builtin:sphere,radius=0.04,detail=4", place: {translate: [2, 0, 0]}, cell: 0.02}
pins:
  - {name: pea, body: pea, region: {sphere: {center: [2, 0, 0], radius: 0.1}}}
colliders:
  - {name: floor, shape: {plane: {point: [0, -0.4, 0], normal: [0, 1, 0]}}, stiffness: 1}
solver: {newton: {max: 30, tolerance: 1.0e-3}, linear: {max: 20, tolerance: 1.0e-3}}
"""

# One ball is dragged through another, which softly gives way.
THROUGH = """\
name: through
frames: {first: 1, last: 4, fps: 24}
gravity: [0, 0, 0]
bodies:
  - {name: still, mesh: "builtin:sphere,radius=0.3,detail=6", cell: 0.08}
  - name: guest
    mesh: "builtin:sphere,radius=0.3,detail=6"
    place: {translate: [0.62, 0, 0]}
    cell: 0.08
pins:
  - {name: still, body: still, region: {sphere: {center: [0, 0, 0], radius: 0.2}}}
  - name: guest
    body: guest
    region: {sphere: {center: [0.62, 0, 0], radius: 0.2}}
    motion: {keys: [{frame: 1}, {frame: 3, translate: [-0.4, 0, 0]}]}
self_collision: {enabled: true, stiffness: 1}
solver: {newton: {max: 30, tolerance: 1.0e-3}, linear: {max: 20, tolerance: 1.0e-3}}
"""


def is_tongs(x, y, z):
    inside = 0 <= x < ARM and 0 <= y < 2 * THICK + GAP and 0 <= z < WIDE
    return inside and (x < THICK or not THICK <= y < THICK + GAP)


def cube_faces(place):
    """The corners of the faces of a unit cube that lead out of the tongs, anticlockwise."""
    for axis, step in itertools.product(range(3), (0, 1)):
        beyond = list(place)
        beyond[axis] += 2 * step - 1
        if is_tongs(*beyond):
            continue
        corners = []
        for a, b in ((0, 0), (1, 0), (1, 1), (0, 1)):
            corner = list(place)
            corner[axis] += step
            corner[(axis + 1) % 3] += a
            corner[(axis + 2) % 3] += b
            corners.append(tuple(corner))
        yield corners if step else corners[::-1]


def tongs():
    numbers, faces = {}, []
    for place in itertools.product(range(ARM), range(2 * THICK + GAP), range(WIDE)):
        if is_tongs(*place):
            for corners in cube_faces(place):
                faces.append([numbers.setdefault(corner, len(numbers) + 1) for corner in corners])
    lines = ["v " + " ".join(f"{SIDE * c:g}" for c in corner) for corner in numbers]
    return "\n".join(lines + ["f " + " ".join(map(str, face)) for face in faces]) + "\n"


def vertices(text):
    return [tuple(map(float, line.split()[1:])) for line in text.splitlines()
            if line.startswith("v ")]


def most_overlap(rest, now):
    """How far the lower arm's upper side is above the upper arm's lower side, row by row."""
    def side(height, z):
        return sorted((x, i) for i, (x, y, its_z) in enumerate(rest)
                      if abs(y - height) < 1e-9 and abs(its_z - z) < 1e-9 and x > SIDE * THICK)
    most = -1
    for z in (SIDE * i for i in range(WIDE + 1)):
        upper = [now[i] for _, i in side(ROOM[1], z)]
        for _, i in side(ROOM[0], z):
            x, y, _ = now[i]
            for a, b in zip(upper, upper[1:]):
                if a[0] <= x <= b[0]:
                    height = a[1] + (b[1] - a[1]) * (x - a[0]) / (b[0] - a[0])
                    most = max(most, y - height)
    return most


class Touching(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write(touching_scene.FILES)

    def run_scene(self, name, *arguments, status=DONE, **how):
        shutil.rmtree(self.path("run"), ignore_errors=True)
        result = self.program.run("run", f"{name}.yaml", *arguments, folder=self.folder, **how)
        self.assertEqual(result.status, status, result.errors)
        return result

    def rows(self):
        with open(self.path("run/frames.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            del row["seconds"]
        return rows

    def touching(self, *arguments, **how):
        if self.sanitized:
            arguments += ("-P", "frames.last=4")
        self.run_scene("touching", *arguments, **how)
        return self.rows()

    def test_same_everywhere(self):
        expected = self.touching()
        for row in expected[1:]:
            self.assertGreater(float(row["max_penetration"]), 0, row)
            self.assertGreater(float(row["bone_error"]), 0, row)
            self.assertLessEqual(float(row["residual"]), 1e-3, row)
            self.assertEqual(row["inverted"], "0")
        for ranks, threads, method in FEW_WAYS if self.sanitized else program.WAYS:
            with self.subTest(ranks=ranks, threads=threads, method=method):
                self.assertEqual(self.touching("-P", f"partition.method={method}", ranks=ranks,
                                               threads=threads), expected)

    def test_everything_counts(self):
        """Whatever is left out gives another end: each kind of contact really happens."""
        if self.sanitized:
            self.skipTest("sanitizers are slow")
        ends = {"nothing": self.touching()[-1]["digest"]}
        for change in ("colliders.floor.stiffness=0", "colliders.fist.stiffness=0",
                       "colliders.wall.stiffness=0", "self_collision.enabled=false",
                       "colliders.floor.friction=0", "colliders.fist.friction=0",
                       "colliders.wall.friction=0", "self_collision.friction=0",
                       "bones.marrow.stiffness=0"):
            ends[change] = self.touching("-P", change)[-1]["digest"]
        self.assertEqual(len(set(ends.values())), len(ends), ends)

    def arms(self, *arguments):
        self.write({"arms.yaml": ARMS, "tongs.obj": tongs()})
        self.run_scene("arms", *arguments)
        result = self.program.run("export", "run", "--to", "obj", folder=self.folder)
        self.assertEqual(result.status, DONE, result.errors)
        rest, deepest = vertices(tongs()), []
        for frame in range(1, 10):
            with open(self.path(f"run/surface_{frame:04}.obj")) as file:
                deepest.append(most_overlap(rest, vertices(file.read())))
        return deepest

    def test_arms_of_one_body(self):
        overlaps = self.arms()
        self.assertLess(max(overlaps), SIDE / 2, overlaps)
        self.assertGreater(max(overlaps), -SIDE / 2, f"they never touch: {overlaps}")
        if not self.sanitized:  # they do meet: nothing else keeps them apart
            overlaps = self.arms("-P", "self_collision.enabled=false")
            self.assertGreater(max(overlaps), SIDE, overlaps)

    def check_not_resolved(self, scene, text, says):
        """Every frame is there; each bad one is named with its place, and the first at the end."""
        self.write({f"{scene}.yaml": text})
        result = self.run_scene(scene, status=INACCURATE)
        rows = self.rows()
        last = int(re.search(r"last: (\d+)", text)[1])
        self.assertEqual([int(row["frame"]) for row in rows], list(range(1, last + 1)))
        cell = float(re.search(r"cell: ([\d.]+)", text)[1])
        bad = [int(row["frame"]) for row in rows if float(row["max_penetration"]) > 2 * cell]
        self.assertGreater(len(bad), 0)
        named = [line for line in result.errors.splitlines() if "contact not resolved" in line]
        self.assertEqual([int(re.search(r"frame (\d+): contact", line)[1]) for line in named], bad)
        for line in named:
            self.assertRegex(line, says)
        end = [line for line in result.errors.splitlines() if " error: " in line]
        self.assertEqual(len(end), 1, result.errors)
        self.assertRegex(end[0], f"{len(bad)} frames have contact that is not resolved, .*"
                                 f"the first is frame {bad[0]} with a depth of ")
        with open(self.path("run/log.txt")) as file:
            self.assertEqual(file.read(), result.errors)
        for frame in range(1, last + 1):
            self.assertTrue(os.path.exists(self.path(f"run/surface_{frame:04}.vtkhdf")))

    def test_plates_that_meet(self):
        self.check_not_resolved("press", PRESS,
                                r"body 'block' is \S+ deep in collider '(below|above)' at "
                                r"\(\S+, \S+, \S+\), \S+ finest cells")

    def test_cells_are_those_of_the_body(self):
        self.write({"sink.yaml": SINK})
        result = self.run_scene("sink")
        self.assertNotIn("not resolved", result.errors)
        deepest = float(self.rows()[-1]["max_penetration"])
        self.assertTrue(2 * 0.02 < deepest < 0.4, deepest)

    def test_flesh_through_flesh(self):
        self.check_not_resolved("through", THROUGH,
                                r"vertex \d+ of body '(still|guest)' is \S+ deep in other flesh at "
                                r"\(\S+, \S+, \S+\), \S+ finest cells")


if __name__ == "__main__":
    program.main()
