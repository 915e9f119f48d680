"""Parts of a body that share cells without being joined: with `close_parts: apart` they separate
freely, on any number of ranks and after a restart; welded, they do not. A finger bends, and its
neighbours stay."""

import csv
import math
import os
import shutil

import program
import surface_files

CELL = 0.05
GAP = CELL / 3
SCENE = f"""\
name: slabs
frames: {{first: 1, last: 4, fps: 24}}
gravity: [0, 0, 0]
bodies:
  - {{name: slabs, mesh: slabs.obj, cell: {CELL}, close_parts: apart, material: {{young: 1.0e5, poisson: 0.3}}}}
pins:
  - {{name: low, body: slabs, region: {{box: {{min: [-1, -1, -1], max: [2, 2, 0]}}}}}}
  - name: high
    body: slabs
    region: {{box: {{min: [-1, -1, 0.22], max: [2, 2, 1]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 4, translate: [0.02, 0, 0.5]}}]}}
solver: {{mode: quasistatic, newton: {{max: 20, tolerance: 1.0e-6}}}}
output: {{dir: run, checkpoint: {{every: 2, keep: 9}}}}
"""
HAND_CELL = 0.08  # nearly as wide as a finger
HAND = f"""\
name: hand
frames: {{first: 1, last: 2, fps: 24}}
gravity: [0, 0, 0]
bodies:
  - {{name: hand, mesh: "builtin:hand,detail=60", cell: {HAND_CELL}, close_parts: apart, material: {{young: 1.0e5, poisson: 0.3}}}}
pins:
  - {{name: palm, body: hand, region: {{box: {{min: [-0.3, -1, -1], max: [0.16, {0.53 + HAND_CELL}, 1]}}}}}}
  - name: tip
    body: hand
    region: {{box: {{min: [-0.055, 0.9, -1], max: [0.055, 2, 1]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 2, rotate: {{axis: [1, 0, 0], degrees: 37.4, about: [0, 0.49, 0]}}}}]}}
solver: {{mode: quasistatic, newton: {{max: 40, tolerance: 1.0e-4}}, linear: {{max: 50, tolerance: 1.0e-2}}}}
output: {{dir: run}}
"""
RING, MIDDLE, INDEX = -0.109, 0, 0.109  # where the fingers are
FACES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))
WAYS = ((2, 1, "curve"), (3, 2, "parmetis"), (4, 1, "parmetis"), (7, 1, "curve"))


def box(low, high, first):
    """An OBJ box whose vertices are counted from `first`."""
    corners = [(x, y, z) for z in (low[2], high[2]) for y in (low[1], high[1])
               for x in (low[0], high[0])]
    return ("".join(f"v {x} {y} {z}\n" for x, y, z in corners) +
            "".join("f " + " ".join(str(first + i) for i in face) + "\n" for face in FACES))


class CloseParts(program.ProgramTest):
    def rows(self, *arguments, **how):
        result = self.program.run("run", "scene.yaml", *arguments, folder=self.folder, **how)
        self.assertEqual(result.status, 0, result.errors)
        with open(self.path("run/frames.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            del row["seconds"]
        return rows, result.errors


class Slabs(CloseParts):
    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": SCENE,
                    "slabs.obj": box((0, 0, 0), (0.6, 0.3, 0.11), 1) +
                                 box((0, 0, 0.11 + GAP), (0.6, 0.3, 0.22 + GAP), 9)})

    def test_they_separate(self):
        expected, errors = self.rows()
        self.assertNotIn("weld", errors)
        for row in expected:  # a rigid motion of each: no energy, and the volume of both
            self.assertLess(float(row["elastic_energy"]), 1e-15)
            self.assertAlmostEqual(float(row["volume"]), 2 * 0.6 * 0.3 * 0.11, delta=1e-12)
        for ranks, threads, method in WAYS[:2] if self.sanitized else WAYS:
            shutil.rmtree(self.path("run"))
            rows, _ = self.rows("-P", f"partition.method={method}", ranks=ranks, threads=threads)
            self.assertEqual(rows, expected)
        os.remove(self.path("run/checkpoint_0004.h5"))
        rows, _ = self.rows("--restart", ranks=3)
        self.assertEqual(rows, expected)

    def test_welded_they_do_not(self):
        rows, errors = self.rows("-P", "bodies.slabs.close_parts=weld")
        self.assertIn("cells hold parts of a body that are not joined, and weld them", errors)
        self.assertGreater(float(rows[-1]["elastic_energy"]), 1)


class Hand(CloseParts):
    def setUp(self):
        super().setUp()
        self.write({"scene.yaml": HAND})

    def ways(self):
        """How far the tips of ring, middle and index finger have gone."""
        before, after = (surface_files.points(surface_files.frame_path(self.path("run"), frame))
                         for frame in (1, 2))
        tips = [max((i for i, at in enumerate(before) if abs(at[0] - x) < 0.03),
                    key=lambda i: before[i][1]) for x in (RING, MIDDLE, INDEX)]
        return [math.dist(before[tip], after[tip]) for tip in tips]

    def test_a_finger_bends_alone(self):
        expected, _ = self.rows()
        ring, middle, index = self.ways()
        self.assertAlmostEqual(middle, 0.327, delta=0.01)
        self.assertLess(max(ring, index), 0.01 * middle)
        self.assertEqual(expected[-1]["inverted"], "0")
        shutil.rmtree(self.path("run"))
        rows, _ = self.rows(ranks=3)
        self.assertEqual(rows, expected)

    def test_welded_it_takes_others_along(self):
        self.rows("-P", "bodies.hand.close_parts=weld")
        ring, middle, index = self.ways()
        self.assertGreater(min(ring, index), 0.1 * middle)


if __name__ == "__main__":
    program.main()
