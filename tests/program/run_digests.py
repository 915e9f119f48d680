"""What `sinew run` computes does not depend on ranks, threads or the partition, bit for bit."""

import csv
import math
import os
import shutil

import program

COLUMNS = ("frame,time,newton,linear,residual,elastic_energy,kinetic_energy,min_det_f,inverted,"
           "volume,max_penetration,bone_error,seconds,digest,friction_excess,contact_energy").split(",")
DYNAMIC = """\
name: dynamic
frames: {first: 1, last: 4, fps: 24}
gravity: [0, -9.81, 0]
bodies:
  - name: beam
    mesh: meshes/beam.obj
    cell: 0.05
    material:
      young: 2.0e4
      poisson: 0.4
      density: 1000
      damping: 0.01
      regions:
        - {region: {box: {min: [0.4, -1, -1], max: [0.7, 1, 1]}}, young: 4.0e5}
pins:
  - name: left
    body: beam
    region: {box: {min: [-1, -1, -1], max: [0.06, 1, 1]}}
    motion: {keys: [{frame: 1}, {frame: 3, translate: [0, 0.04, 0.02]}, {frame: 4}]}
solver:
  mode: dynamic
  integrator: bdf2
  newton: {max: 20, tolerance: 1.0e-4}
  linear: {method: mgpcg, max: 10, tolerance: 1.0e-3}
"""
QUASISTATIC = """\
name: quasistatic
frames: {first: 5, last: 7, fps: 24}
gravity: [0, 0, -9.81]
bodies:
  - {name: bar, mesh: meshes/beam.obj, cell: 0.06, material: {young: 1.0e5}}
  - {name: ball, mesh: "builtin:sphere,radius=0.3,detail=8", cell: 0.07}
pins:
  - {name: left, body: bar, region: {box: {min: [-1, -1, -1], max: [0.07, 1, 1]}}}
  - name: right
    body: bar
    region: {box: {min: [0.9, -1, -1], max: [2, 1, 1]}}
    motion:
      keys:
        - {frame: 5}
        - {frame: 7, rotate: {axis: [1, 0, 0], degrees: 50, about: [0.5, 0.1, 0.1]}}
  - name: core
    body: ball
    region: {sphere: {center: [0, 0, 0], radius: 0.2}}
    motion: {keys: [{frame: 5}, {frame: 7, rotate: {axis: [0, 0, 1], degrees: 30}}]}
solver:
  mode: quasistatic
  newton: {max: 30, tolerance: 1.0e-4}
  linear: {method: mgpcg, max: 20, tolerance: 1.0e-3}
"""
SCENES = {"dynamic": (DYNAMIC, [1, 2, 3, 4]), "quasistatic": (QUASISTATIC, [5, 6, 7])}
SMALLER = {"dynamic": ("-P", "bodies.beam.cell=0.09", "-P", "frames.last=2"),
           "quasistatic": ("-P", "bodies.bar.cell=0.09", "-P", "bodies.ball.cell=0.1",
                           "-P", "frames.last=6")}
X, Y, Z = 1, 0.2, 0.2
BEAM = "".join(f"v {x} {y} {z}\n" for z in (0, Z) for y in (0, Y) for x in (0, X)) + """\
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6
"""
FEW_WAYS = ((1, 2, "parmetis"), (3, 1, "curve"), (3, 2, "parmetis"))  # with slow sanitizers


class RunDigests(program.ProgramTest):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("meshes"))
        self.write({f"{name}.yaml": text for name, (text, frames) in SCENES.items()})
        self.write({"meshes/beam.obj": BEAM})

    def rows(self, name, *arguments, **how):
        """The rows of frames.csv as texts, but for the seconds, which are never the same."""
        if self.sanitized:
            arguments += SMALLER[name]
        result = self.program.run("run", f"{name}.yaml", "-P", "output.dir=run", *arguments,
                                  folder=self.folder, **how)
        self.assertEqual(result.status, 0, result.errors)
        rows = self.read_rows("run")
        shutil.rmtree(self.path("run"))
        return rows

    def read_rows(self, directory):
        with open(os.path.join(self.folder, directory, "frames.csv"), newline="") as file:
            header, *rows = csv.reader(file)
        self.assertEqual(header, COLUMNS)
        rows = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        for row in rows:
            self.assertGreaterEqual(float(row.pop("seconds")), 0)
        return rows

    def check_columns(self, rows, frames):
        self.assertEqual([int(row["frame"]) for row in rows], frames[:len(rows)])
        self.assertEqual(len({row["digest"] for row in rows}), len(rows))
        for row in rows:
            self.assertRegex(row["digest"], "^[0-9a-f]{16}$")
            numbers = {key: float(value) for key, value in row.items() if key != "digest"}
            self.assertTrue(all(map(math.isfinite, numbers.values())), row)
            self.assertLessEqual(numbers["residual"], 1e-4)
            self.assertGreater(numbers["min_det_f"], 0)
            self.assertEqual(row["inverted"], "0")
            self.assertGreater(numbers["volume"], 0)
        last = rows[-1]
        self.assertGreater(int(last["newton"]), 0)
        self.assertGreaterEqual(int(last["linear"]), int(last["newton"]))
        self.assertGreater(float(last["elastic_energy"]), 0)

    def check_everywhere(self, name):
        expected = self.rows(name)
        self.check_columns(expected, SCENES[name][1])
        for ranks, threads, method in FEW_WAYS if self.sanitized else program.WAYS:
            with self.subTest(ranks=ranks, threads=threads, method=method):
                rows = self.rows(name, "-P", f"partition.method={method}", ranks=ranks,
                                 threads=threads)
                self.assertEqual(rows, expected)
        return expected

    def test_dynamic(self):
        rows = self.check_everywhere("dynamic")
        self.assertEqual(float(rows[0]["kinetic_energy"]), 0)
        self.assertGreater(float(rows[-1]["kinetic_energy"]), 0)

    def test_quasistatic(self):
        rows = self.check_everywhere("quasistatic")
        self.assertEqual({float(row["kinetic_energy"]) for row in rows}, {0})


if __name__ == "__main__":
    program.main()
