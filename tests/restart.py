"""A run that was stopped, killed or whose checkpoints were damaged goes on as if nothing had
happened: the same digests, on another number of ranks."""

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest.mock

import program

DONE, WRONG, MACHINE, STOPPED = 0, 1, 2, 3
KILLS = "--kills"  # how often ranks are killed, if not as often as usual
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
LONG = ("-P", "frames.last=500")  # more than any test lets it do
PARMETIS = ("-P", "partition.method=parmetis")
# Building it takes far longer than the test does.
LARGE = """\
name: large
bodies:
  - {name: flesh, mesh: builtin:creature, cell: 0.002}
"""


def last(frame):
    return "-P", f"frames.last={frame}"


# Each start of the program is slow with sanitizers: these find what the others would.
SANITIZED = ("test_quasistatic", "test_other_scenes", "test_cut_off", "test_stop_file",
             "test_leftovers")


class RestartTest(program.ProgramTest):
    expected = {}  # rows of runs that were not interrupted, by their arguments

    def setUp(self):
        if self.sanitized and self.id().split(".")[-1] not in SANITIZED:
            self.skipTest("sanitizers are slow")
        super().setUp()
        self.write({"scene.yaml": SCENE, "beam.obj": BEAM, "large.yaml": LARGE})

    def run_scene(self, *arguments, **how):
        return self.program.run("run", "scene.yaml", *arguments, folder=self.folder, **how)

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
        if arguments not in RestartTest.expected:
            self.succeed(*arguments, "-P", "output.dir=whole", "-P", "output.checkpoint.every=0")
            RestartTest.expected[arguments] = self.rows("whole")
            shutil.rmtree(self.path("whole"))
        self.assertEqual(self.rows(directory), RestartTest.expected[arguments])

    def files(self, ending=".h5", directory="run"):
        return sorted(name for name in os.listdir(self.path(directory)) if name.endswith(ending))

    def damage(self, name, change):
        path = self.path(f"run/{name}")
        with open(path, "rb") as file:
            content = bytearray(file.read())
        with open(path, "wb") as file:
            file.write(change(content))


def flip(part):
    def change(content):
        content[int(part * (len(content) - 1))] ^= 0x10
        return content
    return change


class Continued(RestartTest):
    def test_other_ranks(self):
        """From three ranks to two to one and to seven, with both partitions and more threads."""
        self.succeed(*last(2), ranks=3)
        self.assertEqual(self.files(), ["checkpoint_0002.h5"])
        self.succeed(*last(4), *PARMETIS, "--restart", ranks=2)
        self.succeed(*last(5), "--restart", threads=2)
        self.assertEqual(self.files(), ["checkpoint_0002.h5", "checkpoint_0004.h5"])
        result = self.succeed(*PARMETIS, "--restart", ranks=7, threads=2)
        self.assertIn("going on from", result.errors)
        self.assertEqual(self.files(), ["checkpoint_0004.h5", "checkpoint_0006.h5"])
        self.expect_rows()

    def test_backward_euler(self):
        self.succeed(*EULER, *last(3))
        self.succeed(*EULER, "--restart", ranks=3)
        self.expect_rows(*EULER)

    def test_quasistatic(self):
        self.succeed(*QUASISTATIC, *last(4), ranks=3)
        self.succeed(*QUASISTATIC, "--restart", threads=2)
        self.expect_rows(*QUASISTATIC)

    def test_nothing_is_left_to_do(self):
        self.succeed()
        before = self.rows()
        self.succeed("--restart", "-P", "name=other", "-P", "output.checkpoint.keep=1")
        self.assertEqual(self.rows(), before)

    def test_the_copied_scene(self):
        self.succeed(*last(4))
        result = self.program.run("run", "run/scene.yaml", *last(6), "--restart",
                                  folder=self.folder)
        self.assertEqual(result.status, DONE, result.errors)
        self.expect_rows()

    def test_without_checkpoints(self):
        """The command of a job that is started again is always the same."""
        never = ("-P", "output.checkpoint.every=0", "--restart")
        self.succeed(*never, *last(3))
        self.assertEqual(self.files(), [])
        self.refuse(WRONG, "gravity.* now and was ", *never, "-P", "gravity=[0, 0, 1]")
        self.succeed(*never)
        self.expect_rows()


class Refused(RestartTest):
    def test_other_scenes(self):
        self.succeed(*last(2))
        for key, value, before in [("bodies.beam.material.young", "5.0e4", "40000"),
                                   ("frames.substeps", "3", "2"),
                                   ("solver.integrator", "backward_euler", "bdf2"),
                                   ("pins.left.region", "{sphere: {center: [0, 0, 0], radius: 1}}",
                                    "box"),
                                   ("bodies.beam.coarsest", "0.3", "left out"),
                                   ("pins.left.motion.keys", "[{frame: 1}]", "a list of 3")]:
            tail = key.split(".")[-1]
            self.refuse(WRONG, rf"{tail}.* now and was {before}: ", "--restart", "-P",
                        f"{key}={value}")
        self.refuse(WRONG, "either --restart or --overwrite", "--restart", "--overwrite")

    def test_changed_mesh(self):
        self.succeed(*last(2))
        self.write({"beam.obj": BEAM.replace("v 1 0.2 0.2", "v 1 0.2 0.19")})
        self.refuse(WRONG, r"beam\.obj: has changed since .*checkpoint_0002", "--restart")

    def test_another_run_is_kept(self):
        self.succeed(*last(2))
        self.refuse(WRONG, "--overwrite")
        for name in ("scene.yaml", "frames.csv", "surface.xmf", "surface_0001.vtkhdf"):
            os.remove(self.path(f"run/{name}"))
        self.refuse(WRONG, "has frames or checkpoints")
        self.succeed("--overwrite", *last(1))
        self.assertEqual(self.files(), [])


class Damaged(RestartTest):
    def setUp(self):
        super().setUp()
        self.succeed(*last(4))

    def go_on_from_the_one_before(self, change, **how):
        shutil.copytree(self.path("run"), self.path("kept"))
        self.damage("checkpoint_0004.h5", change)
        result = self.succeed("--restart", **how)
        warnings = [line for line in result.errors.splitlines() if " warning: " in line]
        self.assertEqual(len(warnings), 1, result.errors)
        self.assertRegex(warnings[0], r"checkpoint_0004\.h5: .*trying the one before")
        self.assertRegex(result.errors, r"going on from .*checkpoint_0002\.h5")
        self.assertNotIn("HDF5", result.errors)
        self.assertEqual(self.files(), ["checkpoint_0004.h5", "checkpoint_0006.h5"])
        self.expect_rows()
        shutil.rmtree(self.path("run"))
        os.rename(self.path("kept"), self.path("run"))

    def test_flipped_bits(self):
        for part in (0, 0.3, 1):
            self.go_on_from_the_one_before(flip(part))

    def test_on_ranks(self):
        self.go_on_from_the_one_before(flip(0.5), ranks=3)

    def test_cut_off(self):
        self.go_on_from_the_one_before(lambda content: content[:len(content) // 2])
        self.go_on_from_the_one_before(lambda content: b"")

    def test_none_is_whole(self):
        self.damage("checkpoint_0004.h5", flip(0.1))
        self.damage("checkpoint_0002.h5", flip(0.9))
        self.refuse(MACHINE, "no checkpoint is whole; nothing was changed", "--restart")
        self.refuse(MACHINE, "no checkpoint is whole", "--restart", ranks=3)


class Stopped(RestartTest):
    def start(self, *arguments, ranks=None, wait_for="frame 2 of"):
        """Starts a run and waits for a line of its log."""
        start = self.program.start_ranks if ranks else self.program.start
        running = start("run", "scene.yaml", *arguments, ranks=ranks, folder=self.folder)
        for line in running.stderr:
            if wait_for in line:
                return running
        self.fail("ended before its time")

    def check_stopped(self, result, why):
        self.assertEqual(result.status, STOPPED, result.errors)
        self.assertRegex(result.errors, rf"stopped {why}.* after .*--restart goes on from there")
        self.assertNotIn(" error: ", result.errors)
        self.assertEqual(self.files(".part"), [])

    def finish_elsewhere(self, **how):
        """Some frames more, on other ranks."""
        reached = len(self.rows())
        substeps = ("-P", "frames.substeps=9")
        self.succeed("--restart", *substeps, *last(reached + 1), **how)
        rows = self.rows()
        self.assertEqual(len(rows), reached + 1)
        self.expect_rows(*substeps, *last(reached + 1))

    def test_signals(self):
        """To one rank of several, or alone."""
        for number, ranks, then in [(signal.SIGTERM, 3, None), (signal.SIGINT, None, 2)]:
            running = self.start(*LONG, "-P", "frames.substeps=9", ranks=ranks)
            target = self.program.ranks_of(running)[-1] if ranks else running.pid
            time.sleep(0.1)  # most likely between two substeps
            os.kill(target, number)
            self.check_stopped(program.finish(running), "by a signal")
            self.finish_elsewhere(ranks=then)
            shutil.rmtree(self.path("run"))

    def test_signal_to_the_launcher(self):
        running = self.start(*LONG, "-P", "frames.substeps=9", ranks=2)
        os.kill(running.pid, signal.SIGUSR1)
        self.check_stopped(program.finish(running), "by a signal")
        self.finish_elsewhere()

    def test_stop_file(self):
        running = self.start(*LONG, "-P", "frames.substeps=9")
        self.write({"run/stop": ""})
        self.check_stopped(program.finish(running), "by the file 'stop'")
        self.assertFalse(os.path.exists(self.path("run/stop")))
        self.finish_elsewhere()

    def test_second_signal(self):
        """While the octree is built, which is no substep: the first one has to wait."""
        running = self.program.start_ranks("run", "large.yaml", ranks=2, folder=self.folder)
        victim = self.program.ranks_of(running)[0]
        os.kill(victim, signal.SIGTERM)
        time.sleep(1.5)
        self.assertTrue(program.is_alive(victim))
        os.kill(victim, signal.SIGTERM)
        self.assertNotIn(program.finish(running, 20).status, (DONE, STOPPED))

    def test_hours(self):
        result = self.succeed(*LONG, "--max-hours", "0.0018", status=STOPPED)
        self.assertRegex(result.errors, "stopped because the time is up after")
        self.refuse(WRONG, "--max-hours needs a number", "--restart", "--max-hours", "-1")

    def test_the_end_of_a_job(self):
        end = str(int(time.time()) + 3)
        with unittest.mock.patch.dict(os.environ, SLURM_JOB_END_TIME=end):
            result = self.succeed("--restart", status=STOPPED)
        self.assertRegex(result.errors, "because the time is up before the first frame")
        self.succeed("--restart")
        self.expect_rows()


class Killed(RestartTest):
    kills = 3

    def check_directory(self):
        """Whatever has its own name is whole."""
        if os.path.exists(self.path("run")):
            for name in self.files():
                self.assertGreater(os.path.getsize(self.path(f"run/{name}")), 0)

    def test_at_any_moment(self):
        """The checkpoints come thick and fast, so that some are under way."""
        often = ("-P", "output.checkpoint.every=1", "--restart")
        chance = random.Random(1)
        for _ in range(self.kills):
            ranks = chance.choice((2, 3))
            launcher = self.program.start_ranks("run", "scene.yaml", *often, *LONG, ranks=ranks,
                                                folder=self.folder)
            time.sleep(chance.uniform(0, 2))
            pids = self.program.ranks_of(launcher)
            self.assertEqual(len(pids), ranks, "they ended by themselves")
            os.kill(chance.choice(pids), signal.SIGKILL)
            self.assertNotEqual(program.finish(launcher, 20).status, 0)
            self.assertTrue(program.wait_until(
                lambda: not any(map(program.is_alive, pids)), 20), "ranks live on")
            self.check_directory()
        reached = len(self.rows()) + 1 if os.path.exists(self.path("run/frames.csv")) else 2
        self.succeed(*often, *last(reached))
        self.assertEqual(self.files(".part"), [])
        self.expect_rows(*last(reached))

    def test_leftovers(self):
        self.succeed(*last(2))
        self.write({"run/checkpoint_0009.h5.part": "half", "run/mine.part": "not ours"})
        self.succeed("--restart", *last(3))
        self.assertEqual(self.files(".part"), ["mine.part"])


class BadDisk(RestartTest):
    def mount(self, options):
        subprocess.run(["mount", "-o", f"remount,{options}", self.path("disk")], check=True)

    def test_full_and_read_only(self):
        """A checkpoint that does not fit harms neither those before nor the rows."""
        self.mount_small_disk("700k")
        where = ("-P", "output.dir=disk/run", "-P", "output.checkpoint.keep=9", "-P",
                 "output.checkpoint.every=1", "--restart")
        result = self.run_scene(*where, *last(30), ranks=2)
        self.assertEqual(result.status, MACHINE, result.errors)
        self.assertRegex(result.errors, r"checkpoint_\d+\.h5: .*No space left on device")
        self.assertEqual(self.files(".part", "disk/run"), [])
        kept = self.files(".h5", "disk/run")
        self.assertGreater(len(kept), 0)
        self.mount("ro")
        self.refuse(MACHINE, "disk/run: cannot be used: Read-only file system", *where)
        self.mount("rw,size=8m")
        result = self.succeed(*where, *last(len(kept) + 2))
        self.assertIn(kept[-1], result.errors)
        self.expect_rows(*last(len(kept) + 2), directory="disk/run")


if __name__ == "__main__":
    if KILLS in sys.argv:
        at = sys.argv.index(KILLS)
        Killed.kills = int(sys.argv.pop(at + 1))
        sys.argv.pop(at)
    program.main()
