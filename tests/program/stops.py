"""A run that is stopped or killed goes on later as if nothing had happened, on other ranks."""

import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest.mock

import program
import surface_files
from restarts import DONE, LONG, STOPPED, WRONG, RestartTest, last

# How often a rank is killed, and what its moments are drawn from.
KILLS = int(os.environ.get("SINEW_TEST_KILLS", "3"))
SEED = int(os.environ.get("SINEW_TEST_SEED", random.randrange(10**6)))
ENDS_WITHIN = 60  # seconds
HOURS = 0.0018, 0.01, 0.1  # with time for some frames: the last on a very busy machine
OFTEN = ("-P", "output.checkpoint.every=1", "--restart")
# Building it takes far longer than the test does.
LARGE = """\
name: large
bodies:
  - {name: flesh, mesh: builtin:creature, cell: 0.002}
"""
# No step of it meets its tolerance: each takes all of its iterations.
SLOW = """\
name: slow
gravity: [0, -9.81, 0]
frames: {first: 1, last: 2}
bodies:
  - {name: block, mesh: builtin:cube, cell: 0.05}
pins:
  - {name: base, body: block, region: {box: {min: [-1, -1, -1], max: [1, -0.4, 1]}}}
solver: {newton: {max: 1000000, tolerance: 1.0e-300}, linear: {method: cg, max: 1000000, tolerance: 0}}
output: {dir: run}
"""


class Stopped(RestartTest):
    def start(self, *arguments, ranks=None, wait_for="frame 2 of"):
        """Starts a run and waits for a line of its log."""
        start = self.program.start_ranks if ranks else self.program.start
        running = start("run", "scene.yaml", *arguments, ranks=ranks, folder=self.folder)
        self.wait_for_line(running, wait_for)
        return running

    def wait_for_line(self, running, wanted):
        if not any(wanted in line for line in running.stderr):
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
        for number, ranks, then in [(signal.SIGTERM, 3, None), (signal.SIGINT, None, 2),
                                    (signal.SIGHUP, None, None)]:
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

    def test_script_for_ranks(self):
        """What a terminal sends to the script is a request to the ranks, with the status of one."""
        script = pathlib.Path(__file__).resolve().parents[2] / "jobs/on_ranks"
        launch = {"SINEW": self.program.path, "SINEW_MPIRUN": self.program.launcher[0]}
        for number in signal.SIGINT, signal.SIGTERM:
            with unittest.mock.patch.dict(os.environ, launch):
                running = program.Program(str(script), []).start(
                    "2", "scene.yaml", *LONG, "-P", "frames.substeps=9", folder=self.folder)
            self.wait_for_line(running, "frame 2 of")
            os.killpg(running.pid, number)
            self.check_stopped(program.finish(running), "by a signal")
            shutil.rmtree(self.path("run"))
        refused = subprocess.run([script, "scene.yaml"], capture_output=True, text=True)
        self.assertEqual(refused.returncode, WRONG)
        self.assertIn("usage: jobs/on_ranks RANKS", refused.stderr)

    def test_stop_file(self):
        running = self.start(*LONG, "-P", "frames.substeps=9")
        self.write({"run/stop": ""})
        self.check_stopped(program.finish(running), "by the file 'stop'")
        self.assertFalse(os.path.exists(self.path("run/stop")))
        self.finish_elsewhere()

    def test_while_building(self):
        """There is nothing to keep yet: all ranks end at once, whichever was signalled."""
        self.write({"large.yaml": LARGE})
        for who in (0, -1):
            running = self.program.start_ranks("run", "large.yaml", ranks=2, folder=self.folder)
            ranks = self.program.ranks_of(running)
            program.wait_until(lambda: all(map(program.listens, ranks)), ENDS_WITHIN)
            os.kill(ranks[who], signal.SIGTERM)
            result = program.finish(running, ENDS_WITHIN)
            self.assertEqual(result.status, STOPPED, result.errors)
            self.assertRegex(result.errors, "stopped by a signal before there was anything to keep")
            self.assertFalse(os.path.exists(self.path("run")))

    def test_within_a_step(self):
        """A step that would take far longer than anybody waits is given up."""
        self.write({"slow.yaml": SLOW})
        running = self.program.start("run", "slow.yaml", folder=self.folder)
        for line in running.stderr:
            if "frame 1 of" in line:
                break
        time.sleep(1)
        began = time.monotonic()
        running.send_signal(signal.SIGTERM)
        result = program.finish(running)
        self.assertEqual(result.status, STOPPED, result.errors)
        self.assertLess(time.monotonic() - began, ENDS_WITHIN)
        self.assertEqual(len(self.rows()), 1)

    def test_limit_of_the_processor(self):
        """The softer one is a request; it is repeated every second, which is none to hurry."""
        running = self.start(*LONG)
        limit = int(program.processor_seconds(running.pid)) + 1
        resource.prlimit(running.pid, resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
        self.check_stopped(program.finish(running), "by a signal")

    def test_ignored_hang_up(self):
        """As by nohup."""
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        running = self.program.start("run", "scene.yaml", *last(40), folder=self.folder,
                                     before=ignore)
        for line in running.stderr:
            if "frame 2 of" in line:
                break
        running.send_signal(signal.SIGHUP)
        self.assertEqual(program.finish(running).status, DONE)

    def test_lost_frames(self):
        """Those after the older checkpoint are computed again, the others are named."""
        every = ("-P", "output.every=1")
        self.succeed(*every)
        for name in ("surface_0001.vtkhdf", "surface_0005.vtkhdf"):
            os.remove(self.path(f"run/{name}"))
        result = self.succeed("--restart", *every)
        self.assertRegex(result.errors, "(?s)surface_0005.vtkhdf: gone since.*"
                         "surface_0001.vtkhdf: gone, and no checkpoint.*"
                         "going on from .*checkpoint_0004.h5")
        self.assertEqual(self.files(".vtkhdf"), [f"surface_{frame:04}.vtkhdf" for frame in range(2, 7)])
        self.expect_rows(*every)

    def test_hours(self):
        for hours in HOURS:
            result = self.succeed(*LONG, "--restart", "--max-hours", str(hours), status=STOPPED)
            if "the time is up after" in result.errors:
                break
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
    def check_directory(self):
        """Whatever has its own name is whole."""
        if not os.path.exists(self.path("run")):
            return
        for name in self.files() + self.files(".vtkhdf"):
            self.assertGreater(os.path.getsize(self.path(f"run/{name}")), 0)
            if shutil.which("h5dump"):
                surface_files.content(self.path(f"run/{name}"))
        if os.path.exists(self.path("run/frames.csv")):
            for row in self.rows():
                self.assertNotIn(None, [*row, *row.values()])

    def kill_one(self, chance, ranks):
        """The checkpoints come thick and fast, so that some are under way."""
        launcher = self.program.start_ranks("run", "scene.yaml", *OFTEN, *LONG, ranks=ranks,
                                            folder=self.folder)
        time.sleep(chance.uniform(0, 2))
        pids = self.program.ranks_of(launcher)
        if len(pids) != ranks:
            self.fail(f"ended by itself: {program.finish(launcher)}")
        os.kill(chance.choice(pids), signal.SIGKILL)
        result = program.finish(launcher, ENDS_WITHIN)
        self.assertNotEqual(result.status, 0)
        self.assertTrue(program.wait_until(
            lambda: not any(map(program.is_alive, pids)), ENDS_WITHIN), "ranks live on")
        self.assertNotIn(" warning: ", result.errors)  # such as of a checkpoint that is not whole
        self.check_directory()

    def test_at_any_moment(self):
        """Each time the run goes on, on another number of ranks, until the next is killed."""
        print(f"SINEW_TEST_KILLS={KILLS} SINEW_TEST_SEED={SEED}", flush=True)
        chance = random.Random(SEED)
        ranks = None
        for _ in range(KILLS):
            ranks = chance.choice([count for count in (2, 3, 4) if count != ranks])
            self.kill_one(chance, ranks)
        reached = len(self.rows()) + 1 if os.path.exists(self.path("run/frames.csv")) else 2
        self.succeed(*OFTEN, *last(reached))
        self.assertEqual(self.files(".part"), [])
        self.expect_rows(*last(reached))

    def test_leftovers(self):
        self.succeed(*last(2))
        self.write({"run/checkpoint_0001.h5.host-123.part": "half", "run/mine.part": "not ours",
                    "run/checkpoint_0001.h5.part": "neither"})
        self.succeed("--restart", *last(3))
        self.assertEqual(self.files(".part"), ["checkpoint_0001.h5.part", "mine.part"])


if __name__ == "__main__":
    program.main()
