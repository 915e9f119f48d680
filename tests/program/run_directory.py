"""What `sinew run` leaves behind: nothing for bad input, never less than was there, and after a
frame that could not be solved the rows so far."""

import csv
import os
import resource

import program

DONE, WRONG, MACHINE, INACCURATE = 0, 1, 2, 4
MESH = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
PIN = "  - {name: hand, body: flesh, region: {box: {min: [-1, -1, -1], max: [2, 2, 0.2]}}%s}\n"
SCENE = """\
name: small
frames: {first: 3, last: 6}
bodies:
  - {name: flesh, mesh: mesh.obj, cell: 0.2, material: {young: 1.0e5, damping: 0.01}}
solver: {newton: {max: 20, tolerance: 1.0e-4}, linear: {max: 20, tolerance: 1.0e-3}}
pins:
"""
GOOD = SCENE + PIN % ""
# In its third frame a body that is held all over is drawn through the other one, at any step's length.
OTHER = "  - {name: other, mesh: mesh.obj, place: {translate: [0.1, 0.1, -1.5]}, cell: 0.2}\n"
DRAWN = ("  - {name: drawn, body: other, region: {box: {min: [-9, -9, -9], max: [9, 9, 9]}}, "
         "motion: {keys: [{frame: 4}, {frame: 5, translate: [0, 0, 100]}]}}\n")
FAR = SCENE.replace("solver:", OTHER + "self_collision: {enabled: true}\nsolver:") + PIN % "" + DRAWN
NOWHERE = GOOD.replace("max: [2, 2, 0.2]", "max: [-0.9, 2, 2]")
RUN_FILES = ["frames.csv", "log.txt", "manifest.txt", "meshes.hdf5", "scene.yaml", "surface.xmf",
             "timing.csv"]
SMALL_DISK = "16k"


def run_files(*frames):
    return sorted(RUN_FILES + [f"surface_{frame:04}.vtkhdf" for frame in frames])


def finished(*frames):
    """The end has a checkpoint."""
    return sorted(run_files(*frames) + [f"checkpoint_{frames[-1]:04}.h5"])


class RunDirectory(program.ProgramTest):
    def setUp(self):
        super().setUp()
        self.write({"good.yaml": GOOD, "far.yaml": FAR, "nowhere.yaml": NOWHERE, "mesh.obj": MESH})

    def run_scene(self, *arguments, **how):
        return self.program.run("run", *arguments, ranks=self.ranks, folder=self.folder, **how)

    def read(self, name):
        with open(self.path(name)) as file:
            return file.read()

    def frames(self, directory="run"):
        with open(self.path(f"{directory}/frames.csv"), newline="") as file:
            return [int(row["frame"]) for row in csv.DictReader(file)]

    def assert_fails(self, result, status, says):
        errors = [line for line in program.own_lines(result.errors) if " error: " in line]
        self.assertEqual((result.status, len(errors)), (status, 1), result.errors)
        self.assertRegex(errors[0], says)
        self.assertEqual(result.output, "")

    def check_refused(self, status, says, *arguments):
        """One line, and nothing is changed."""
        before = program.listing(self.folder)
        result = self.run_scene(*arguments)
        self.assert_fails(result, status, says)
        self.assertEqual(len(program.own_lines(result.errors)), 1, result.errors)
        self.assertEqual(program.listing(self.folder), before)

    def test_bad_arguments(self):
        self.check_refused(WRONG, "which scene")
        self.check_refused(WRONG, "-P needs", "good.yaml", "-P")
        self.check_refused(WRONG, "unknown option '--nonsense'", "good.yaml", "--nonsense")
        self.check_refused(WRONG, "one scene", "good.yaml", "far.yaml")
        self.check_refused(WRONG, r"missing\.yaml: .*No such file", "missing.yaml")

    def test_bad_scenes(self):
        motion = "pins.hand.motion="
        self.check_refused(WRONG, r"nowhere\.yaml:7:\d+: pins\[0\]: no node of body 'flesh'",
                           "nowhere.yaml")
        self.check_refused(WRONG, "dance", "good.yaml", "-P", motion + "{dance: waltz}")
        self.check_refused(WRONG, r"pins\[0\]\.motion", "good.yaml", "-P",
                           motion + "{bvh: walk.bvh, joint: Hips}")
        self.check_refused(WRONG, r"-P bodies.flesh.mesh=cow.obj: .*/cow\.obj: .*No such file",
                           "good.yaml", "-P", "bodies.flesh.mesh=cow.obj")

    def test_bad_directories(self):
        os.mkdir(self.path("place"))
        for directory, says in [("mesh.obj", "mesh.obj: cannot be used: Not a directory"),
                                ("mesh.obj/run", "mesh.obj/run: cannot be made: Not a directory"),
                                ("nowhere/run", "nowhere/run: cannot be made: No such file")]:
            self.check_refused(MACHINE, says, "good.yaml", "-P", f"output.dir={directory}")
        if os.geteuid() != 0:  # who may write everywhere
            os.chmod(self.path("place"), 0o500)
            self.check_refused(MACHINE, "place: cannot be used: Permission denied", "good.yaml",
                               "-P", "output.dir=place")

    def test_dry_run(self):
        before = program.listing(self.folder)
        result = self.run_scene("good.yaml", "--dry-run")
        self.assertEqual((result.status, result.output), (DONE, ""))
        self.assertRegex(result.errors, r"^.*scene small can run: frames 3 to 6 of 1 body, "
                                        r"\d+ elements and \d+ nodes on \d levels; nothing was "
                                        r"written\n$")
        self.assertEqual(program.listing(self.folder), before)

    def test_files(self):
        result = self.run_scene("good.yaml")
        self.assertEqual(result.status, DONE, result.errors)
        self.assertEqual(sorted(os.listdir(self.path("run"))), finished(3, 4, 5, 6))
        self.assertEqual(self.frames(), [3, 4, 5, 6])
        self.assertEqual(self.read("run/log.txt"), result.errors)
        with open(self.path("run/timing.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), ["phase", "calls", "min", "avg", "max", "imbalance"])
        self.assertEqual({row["phase"]: row["calls"] for row in rows}["shot/solve"], "4")
        for row in rows:
            self.assertLessEqual(float(row["min"]), float(row["max"]))
            self.assertGreaterEqual(float(row["imbalance"]), 1)
        memory = {row["phase"]: float(row["avg"]) for row in rows if row["phase"].startswith("memory/")}
        peak = memory.pop("memory/peak MB")
        # Who holds it are source files, named from the project's root wherever that was when it was built.
        holders = memory.keys() - {"memory/others MB"}
        self.assertTrue(holders)
        for holder in holders:
            self.assertRegex(holder, "^memory/[a-z][a-z0-9_]*(/[a-z][a-z0-9_]*)+ MB$")
        self.assertTrue(0 < sum(memory.values()) < peak, memory)

    def test_the_copied_scene_runs(self):
        """From another folder, although its mesh is named relative to the first scene."""
        self.assertEqual(self.run_scene("good.yaml").status, DONE)
        os.mkdir(self.path("elsewhere"))
        os.rename(self.path("run/scene.yaml"), self.path("elsewhere/copy.yaml"))
        self.assertEqual(self.info("elsewhere/copy.yaml").status, DONE)
        result = self.run_scene("elsewhere/copy.yaml", "-P", "output.dir=again")
        self.assertEqual(result.status, DONE, result.errors)
        digests = [[row["digest"] for row in csv.DictReader(self.read(f"{directory}/frames.csv").split())]
                   for directory in ("run", "elsewhere/again")]
        self.assertEqual(digests[0], digests[1])

    def test_another_run_is_kept(self):
        self.assertEqual(self.run_scene("good.yaml").status, DONE)
        self.check_refused(WRONG, "good.yaml.*output.dir.*has the files of another run: --restart goes on .*"
                           "--overwrite", "good.yaml")
        self.check_refused(WRONG, "would write over this scene", "run/scene.yaml", "--overwrite")
        result = self.run_scene("good.yaml", "--overwrite", "-P", "frames.last=4")
        self.assertEqual(result.status, DONE, result.errors)
        self.assertEqual(self.frames(), [3, 4])
        self.assertEqual(sorted(os.listdir(self.path("run"))), finished(3, 4))

    def test_frames_of_another_run(self):
        """They go with it; files of other people, and half ones of other programs, stay."""
        self.assertEqual(self.run_scene("good.yaml").status, DONE)
        self.write({"run/surface_of_mine.png": "", "run/surface_0010.vtkhdf.part": "",
                    "run/surface_0005.vtkhdf.host-123.part": ""})
        result = self.run_scene("good.yaml", "--overwrite", "-P", "output.every=3")
        self.assertEqual(result.status, DONE, result.errors)
        self.assertEqual(sorted(os.listdir(self.path("run"))), sorted(
            finished(3, 6) + ["surface_of_mine.png", "surface_0010.vtkhdf.part"]))

    def test_a_directory_in_the_way_of_a_frame(self):
        os.makedirs(self.path("run/surface_0005.vtkhdf.host-123.part"))
        self.assert_fails(self.run_scene("good.yaml"), MACHINE,
                          r"surface_0005\.vtkhdf\.host-123\.part: cannot be removed: Is a directory")

    def test_a_frame_that_cannot_be_solved(self):
        result = self.run_scene("far.yaml")
        self.assert_fails(result, INACCURATE, "frame 5 could not be solved")
        self.assertEqual(self.frames(), [3, 4])
        self.assertIn("frame 5 could not be solved", self.read("run/log.txt"))
        self.assertNotIn("nan", self.read("run/frames.csv"))
        self.assertRegex(self.read("run/diagnosis.csv"), r"(?m)^5,unsolved,\w+,")
        self.assertEqual(sorted(os.listdir(self.path("run"))),
                         sorted(run_files(3, 4) + ["diagnosis.csv"]))
        said = self.program.run("diagnose", "run", folder=self.folder)
        self.assertEqual(said.status, INACCURATE)
        self.assertRegex(said.output, r"(?m)^frame 5 could not be solved.*\n  .* \(det F .*\n    try ")

    def test_farther_than_can_be_looked_at(self):
        """In one step through another body, by thousands of cells: it is noticed."""
        self.write({"far.yaml": FAR.replace("[0, 0, 100]", "[0, 0, 30000]")})
        self.assert_fails(self.run_scene("far.yaml"), INACCURATE, "frame 5 could not be solved")
        self.write({"far.yaml": FAR.replace("[0, 0, 100]", "[0, 0, -30000]")})
        self.assertEqual(self.run_scene("far.yaml", "--overwrite").status, DONE)

    def test_frames_that_miss_their_tolerance(self):
        result = self.run_scene("good.yaml", "-P", "solver.newton={max: 1, tolerance: 1.0e-12}")
        self.assert_fails(result, INACCURATE, "3 frames missed .* the first is frame 4 with a residual of ")
        self.assertEqual(self.frames(), [3, 4, 5, 6])
        result = self.run_scene("far.yaml", "--overwrite", "-P",
                                "solver.newton={max: 1, tolerance: 1.0e-12}")
        self.assert_fails(result, INACCURATE, "the first is frame 4 with .*; frame 5 could not be solved")

    def test_file_limit(self):
        """The limit comes with the first frame: MPI's own files must not meet it."""
        if self.ranks:
            self.skipTest("the limit is for one process")
        running = self.program.start("run", "good.yaml", "-P", "frames.last=9000",
                                     "-P", "output.every=9000", "-P", "output.checkpoint.every=0",
                                     folder=self.folder)
        self.assertIn("frame 3 of 9000", running.stderr.readline())
        size = os.path.getsize(self.path("run/frames.csv")) + 1000
        resource.prlimit(running.pid, resource.RLIMIT_FSIZE, (size, size))
        result = program.finish(running)
        self.assert_fails(result, MACHINE, r"run/frames\.csv: writing failed: File too large")
        self.assertEqual(self.frames()[:3], [3, 4, 5])

    def test_a_log_that_cannot_be_kept(self):
        self.assertEqual(self.run_scene("good.yaml", "-P", "frames.last=3").status, DONE)
        os.remove(self.path("run/log.txt"))
        os.makedirs(self.path("run/log.txt"))
        result = self.run_scene("good.yaml", "--restart")
        self.assertEqual(result.status, DONE, result.errors)
        warnings = [line for line in result.errors.splitlines() if " warning: " in line]
        self.assertEqual(len(warnings), 1, result.errors)
        self.assertRegex(warnings[0], r"run/log\.txt: Is a directory")
        self.assertEqual(self.frames(), [3, 4, 5, 6])

    def test_full_disk(self):
        self.mount_small_disk(SMALL_DISK)
        result = self.run_scene("good.yaml", "-P", "output.dir=disk/run")
        self.assert_fails(result, MACHINE, r"disk/run/(meshes\.hdf5|surface_0003.*): .*No space left on device")
        self.assertEqual(sorted({*os.listdir(self.path("disk/run"))} - {"meshes.hdf5"}),
                         ["frames.csv", "log.txt", "manifest.txt", "scene.yaml"])
        self.assertEqual(self.frames("disk/run"), [])


if __name__ == "__main__":
    program.main()
