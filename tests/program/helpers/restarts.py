"""What tests of restarts share: a small scene, and rows to compare with."""

import csv
import os
import shutil

import program
import touching_scene

DONE, WRONG, MACHINE, STOPPED = 0, 1, 2, 3
X, Y, Z = 1, 0.2, 0.2
BEAM = "".join(f"v {x} {y} {z}\n" for z in (0, Z) for y in (0, Y) for x in (0, X)) + """\
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6
"""
SCENE = """\
name: beam
frames: {first: 1, last: 6, fps: 24, substeps: 2}
gravity: [0, -9.81, 0]
bodies:
  - name: beam
    mesh: beam.obj
    cell: 0.09
    material: {young: 4.0e4, poisson: 0.4, density: 1000, damping: 0.01}
  - {name: ball, mesh: "builtin:sphere,radius=0.2,detail=4", cell: 0.1}
pins:
  - name: left
    body: beam
    region: {box: {min: [-1, -1, -1], max: [0.1, 1, 1]}}
    motion: {keys: [{frame: 1}, {frame: 3, translate: [0, 0.04, 0.02]}, {frame: 6}]}
  - {name: core, body: ball, region: {sphere: {center: [0, 0, 0], radius: 0.12}}}
solver:
  integrator: bdf2
  newton: {max: 20, tolerance: 1.0e-4}
  linear: {method: mgpcg, max: 10, tolerance: 1.0e-3}
output: {dir: run, every: 3, checkpoint: {every: 2, keep: 2}}
"""
EULER = ("-P", "solver.integrator=backward_euler")
QUASISTATIC = ("-P", "solver.mode=quasistatic")
LONG = ("-P", "frames.last=9000")  # more than any test lets it do
PARMETIS = ("-P", "partition.method=parmetis")


def last(frame):
    return "-P", f"frames.last={frame}"


# Each start of the program is slow with sanitizers: these find what the others would.
SANITIZED = ("test_in_contact", "test_quasistatic", "test_changed_mesh", "test_cut_off",
             "test_stop_file", "test_leftovers", "test_dead_owner", "test_within_a_step", "test_not_in_the_way")


class RestartTest(program.ProgramTest):
    expected = {}  # rows of runs that were not interrupted, by their arguments

    scene = "scene.yaml"

    def setUp(self):
        if self.sanitized and self.id().split(".")[-1] not in SANITIZED:
            self.skipTest("sanitizers are slow")
        super().setUp()
        self.write({"scene.yaml": SCENE, "beam.obj": BEAM, **touching_scene.FILES})

    def run_scene(self, *arguments, **how):
        return self.program.run("run", self.scene, *arguments, folder=self.folder, **how)

    def succeed(self, *arguments, status=DONE, **how):
        result = self.run_scene(*arguments, **how)
        self.assertEqual(result.status, status, result.errors)
        return result

    def refuse(self, status, says, *arguments, **how):
        """One message, and nothing is changed."""
        before = program.listing(self.folder)
        result = self.run_scene(*arguments, **how)
        errors = [line for line in program.own_lines(result.errors) if " error: " in line]
        self.assertEqual((result.status, len(errors)), (status, 1), result.errors)
        self.assertRegex(errors[0], says)
        self.assertEqual(program.listing(self.folder), before)

    def rows(self, directory="run"):
        """What frames.csv says, but for the seconds."""
        with open(self.path(f"{directory}/frames.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        for row in rows:
            self.assertGreaterEqual(float(row.pop("seconds")), 0)
        return rows

    def expect_rows(self, *arguments, directory="run"):
        run = self.scene, *arguments
        if run not in RestartTest.expected:
            self.succeed(*arguments, "-P", "output.dir=whole", "-P", "output.checkpoint.every=0")
            RestartTest.expected[run] = self.rows("whole")
            shutil.rmtree(self.path("whole"))
        self.assertEqual(self.rows(directory), RestartTest.expected[run])

    def files(self, ending=".h5", directory="run"):
        return sorted(name for name in os.listdir(self.path(directory)) if name.endswith(ending))

    def damage(self, name, change):
        path = self.path(f"run/{name}")
        with open(path, "rb") as file:
            content = bytearray(file.read())
        with open(path, "wb") as file:
            file.write(change(content))
