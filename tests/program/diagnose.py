"""A frame that goes wrong says where: the run's log, diagnosis.csv and `sinew diagnose`, against the
cells of the octree frames, the bone's own geometry, and on other ranks."""

import csv
import math
import os
import re

import program
import surface_files

DONE, WRONG, INACCURATE = 0, 1, 4
CELL, RADIUS, WAY, SUBSTEPS = 0.1, 0.15, 0.8, 1
SCENE = f"""\
name: folded
frames: {{first: 1, last: 3, substeps: {SUBSTEPS}}}
bodies:
  - {{name: "long, thin", mesh: "builtin:beam,length=2,width=0.6,height=0.6", cell: {CELL}}}
bones:
  - {{name: core, body: "long, thin", mesh: "builtin:sphere,radius={RADIUS},detail=12",
     stiffness: 1.0e8, motion: {{keys: [{{frame: 1}}, {{frame: 2, translate: [0, {WAY}, 0]}}]}}}}
pins:
  - {{name: ends, body: "long, thin", region: {{box: {{min: [-0.6, -9, -9], max: [0.6, 9, 9]}},
     invert: true}}}}
colliders:
  - {{name: far, shape: {{plane: {{point: [0, -30, 0], normal: [0, 1, 0]}}}}}}
solver: {{newton: {{max: 40, tolerance: 1.0e-2}}}}
output: {{octree: true, fields: [det_f]}}
"""
IMPOSSIBLE = """\
name: impossible
frames: {first: 1, last: 3}
gravity: [0, -1.0e30, 0]
bodies:
  - {name: block, mesh: "builtin:cube", cell: 0.25}
pins:
  - {name: base, body: block, region: {box: {min: [-9, -9, -9], max: [9, -0.4, 9]}}}
"""


class Diagnose(program.ProgramTest):
    def run_scene(self, scene, ranks=None):
        self.write({"scene.yaml": scene})
        return self.program.run("run", "scene.yaml", "--overwrite", folder=self.folder, ranks=ranks)

    def read(self, name):
        with open(self.path("run/" + name)) as file:
            return file.read()

    def diagnosis(self):
        with open(self.path("run/diagnosis.csv")) as file:
            return list(csv.DictReader(file))

    def diagnose(self):
        return self.program.run("diagnose", "run", folder=self.folder)

    def inverted_cells(self, frame):
        """Determinants and centres, by the octree frame."""
        path = self.path(f"run/octree_{frame:04}.vtkhdf")
        determinant = surface_files.numbers(path, "/VTKHDF/CellData/det_f", "float32")
        points = surface_files.triples(surface_files.numbers(path, "/VTKHDF/Points", "float32"))
        corner = surface_files.numbers(path, "/VTKHDF/Connectivity", "int32")
        centres = [[sum(points[p][d] for p in corner[8 * i:8 * i + 8]) / 8 for d in range(3)]
                   for i in range(len(determinant))]
        return [(det, centre) for det, centre in zip(determinant, centres) if det <= 0]

    def test_inverted(self):
        """A bone is torn through flesh: how many cells, where, what did it, and what to try."""
        result = self.run_scene(SCENE)
        rows = self.diagnosis()
        self.assertGreater(len(rows), 0, result.errors)
        table = {row["frame"]: row for row in csv.DictReader(self.read("frames.csv").splitlines())}
        for row in rows:
            if row["frame"] not in table:
                continue
            cells = self.inverted_cells(int(row["frame"]))
            worst = min(cells)
            place = [float(row[axis]) for axis in "xyz"]
            self.assertEqual(int(row["count"]), len(cells))
            self.assertEqual(row["count"], table[row["frame"]]["inverted"])
            self.assertAlmostEqual(float(row["least_det_f"]), worst[0], places=5)
            self.assertLess(math.dist(place, worst[1]), CELL)
            self.assertEqual((row["body"], row["nearest"]), ("long  thin", "bone core"))
            moved = WAY if int(row["frame"]) > 1 else 0
            from_bone = abs(math.dist(place, (0, moved, 0)) - RADIUS)
            self.assertAlmostEqual(float(row["distance"]), from_bone, delta=0.05 * RADIUS)
        self.assertAlmostEqual(float(rows[0]["way_a_substep"]), WAY / SUBSTEPS, places=6)
        self.assertRegex(result.errors, rf"frame 2: {rows[0]['count']} elements .* at \(.*bone core")
        before = self.read("diagnosis.csv")
        said = self.diagnose()
        self.assertEqual(said.status, result.status, said.errors)
        self.assertRegex(said.output, rf"(?m)^frame 2\n(.*\n)*?  {rows[0]['count']} elements")
        self.assertIn("try frames.substeps: 16,", said.output)
        self.run_scene(SCENE, ranks=3)
        self.assertEqual(self.read("diagnosis.csv"), before)

    def test_unsolved(self):
        result = self.run_scene(IMPOSSIBLE)
        self.assertEqual(result.status, INACCURATE)
        self.assertEqual(len(re.findall("error: ", result.errors)), 1, result.errors)
        if "could not be solved" in result.errors:
            self.assertEqual(self.diagnosis()[-1]["fault"], "unsolved")
        said = self.diagnose()
        self.assertEqual(said.status, INACCURATE)
        self.assertRegex(said.output, r"frame \d")
        self.assertRegex(said.errors, r"error: \d frames? (is|are) not to be trusted")

    def test_good_and_broken(self):
        """A run again has nothing of the run before; what is no diagnosis is refused."""
        self.run_scene(IMPOSSIBLE)
        good = IMPOSSIBLE.replace("-1.0e30", "-10").replace("impossible", "possible")
        self.assertEqual(self.run_scene(good).status, DONE)
        self.assertFalse(os.path.exists(self.path("run/diagnosis.csv")))
        said = self.diagnose()
        self.assertEqual((said.status, said.output), (DONE, "3 frames can be trusted\n"))
        self.assertIn("diagnosis.csv\n", self.read("manifest.txt"))
        for name in ("diagnosis.csv", "frames.csv"):
            rows = self.read(name) if os.path.exists(self.path("run/" + name)) else ""
            for text in "nonsense\n", rows + "4,half a row\n":
                self.write({"run/" + name: text})
                said = self.diagnose()
                self.assertEqual((said.status, said.output), (WRONG, ""))
                self.assertRegex(said.errors, rf"error: run/{name}:{text.count(chr(10))}: not the ")
            os.remove(self.path("run/" + name))
        os.remove(self.path("run/scene.yaml"))
        self.assertRegex(self.diagnose().errors, "run: not a run directory")


if __name__ == "__main__":
    program.need("h5dump")
    program.main()
