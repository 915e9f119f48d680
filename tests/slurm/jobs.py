"""The scripts in jobs/ under a real Slurm: shots on two nodes, over their time limit and over the
loss of a node, arrays, chains and a scaling study."""

import csv
import os
import re
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

import cluster
import program
from restarts import DONE, SCENE, WRONG, RestartTest, last

JOBS = os.path.join(HERE, "..", "..", "jobs")
SKIPPED = 77
# Slurm looks at time limits every half minute, and a job that was queued again waits some seconds.
LONGEST = 150
ENDED = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY")
ENDLESS = SCENE.replace("last: 6", "last: 100000")
# Two nodes on one machine take their common memory for that of one, so they have to use TCP.
SEPARATE = {"OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}
ONE_RANK = ("--ntasks-per-node=1", "--cpus-per-task=1")
TWO_NODES = ("--nodes=2", "--ntasks-per-node=1", "--cpus-per-task=2")


class JobTest(RestartTest):
    cluster = None

    def setUp(self):
        super().setUp()
        self.environment = dict(self.cluster.environment, **SEPARATE, SINEW=self.program.path)
        # A shot is shorter than another test waits: it goes when its test does.
        self.addCleanup(self.cluster.ask, "scancel", "--signal=KILL", "--full",
                        f"--user={cluster.USER}")

    def command(self, *command, status=DONE, **variables):
        ran = subprocess.run(command, cwd=self.folder, env=dict(self.environment, **variables),
                             stdin=subprocess.DEVNULL, capture_output=True, text=True,
                             timeout=program.TIMEOUT)
        self.assertEqual(ran.returncode, status, ran.stdout + ran.stderr)
        return ran.stdout.strip()

    def submit(self, *arguments, script="shot.sbatch", options=ONE_RANK, **variables):
        return self.command("sbatch", "--parsable", *options, os.path.join(JOBS, script),
                            *arguments, **variables)

    def about(self, job):
        """What Slurm knows about a job."""
        text = self.cluster.ask("scontrol", "show", "--oneliner", "job", job)
        return dict(re.findall(r"(\S+?)=(\S*)", text))

    def log(self, job, name="shot"):
        path = self.path(f"{name}-{job}.log")
        if not os.path.exists(path):
            return ""
        with open(path) as file:
            return file.read()

    def wait_for(self, job, condition, what):
        if not program.wait_until(lambda: condition(self.about(job)), LONGEST):
            self.fail(f"job {job} {what}: {self.about(job)}\n{self.log(job)}\n"
                      f"{self.cluster.logs()}")

    def finish(self, job, name="shot", state="COMPLETED", status=DONE):
        self.wait_for(job, lambda about: about.get("JobState") in ENDED, "does not end")
        about, log = self.about(job), self.log(job, name)
        self.assertEqual((about["JobState"], about["ExitCode"]), (state, f"{status}:0"), log)
        return log

    def wait_for_frame(self, job):
        self.wait_for(job, lambda about: about.get("JobState") == "RUNNING" and
                      re.search(r"frame \d+ of", self.log(job)), "has no frame")

    def wait_for_requeue(self, job):
        """Until the job waits for its second turn, and the shot's end is near."""
        self.wait_for(job, lambda about: about.get("Restarts") == "1" and
                      about["JobState"] == "PENDING", "is not queued again")
        self.reached = len(self.rows())
        self.write({"scene.yaml": SCENE.replace("last: 6", f"last: {self.reached + 2}")})

    def expect_whole_shot(self):
        """As if there had been one turn."""
        self.assertEqual(len(self.rows()), self.reached + 2)
        self.expect_rows(*last(self.reached + 2))


class Shot(JobTest):
    def test_two_nodes(self):
        shape = ("--nodes=2", "--ntasks-per-node=2", "--ntasks-per-socket=1", "--cpus-per-task=2")
        log = self.finish(self.submit("scene.yaml", *last(2), options=shape))
        self.assertIn("n[1-2], 2 threads a rank", log)
        self.expect_rows(*last(2))

    def test_time_limit(self):
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", options=(*TWO_NODES, "--time=1", "--signal=B:USR1@20"))
        self.wait_for_requeue(job)
        log = self.finish(job)
        self.assertRegex(log, r"turn 1: the time limit is near[^$]*stopped by a signal[^$]*"
                              r"turn 1: stopped with status 3[^$]*turn 2: [^$]*going on from")
        self.expect_whole_shot()

    def test_lost_node(self):
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", "-P", "output.checkpoint.every=1")
        self.wait_for_frame(job)
        node = self.about(job)["NodeList"]
        self.cluster.run("scontrol", "update", f"nodename={node}", "state=down", "reason=test")
        try:
            self.wait_for_requeue(job)
            log = self.finish(job)
        finally:
            self.cluster.run("scontrol", "update", f"nodename={node}", "state=resume")
        self.assertRegex(log, "turn 2: [^$]*going on from")
        self.assertNotEqual(self.about(job)["NodeList"], node)
        self.expect_whole_shot()

    def test_failures(self):
        """What does not get better by trying again is not queued again."""
        self.write({"bad.yaml": SCENE.replace("cell", "sell")})
        for arguments, says in [(["bad.yaml"], "sell"), ([], "usage: "),
                                (["scene.yaml", "--overwrite"], "not both")]:
            log = self.finish(self.submit(*arguments), state="FAILED", status=WRONG)
            self.assertIn(says, log)
        log = self.finish(self.submit("scene.yaml", SINEW="none"), state="FAILED", status=WRONG)
        self.assertIn("no program 'none'", log)

    def test_array(self):
        self.write({"other.yaml": SCENE.replace("dir: run", "dir: other"), "shots.txt":
                    "# scene and options\n\nscene.yaml\n  other.yaml -P frames.last=3\n"})
        array = self.submit("shots.txt", "-P", "solver.linear.max=9", script="shots.sbatch",
                            options=(*ONE_RANK, "--array=1-3"))
        for task in "12":
            self.finish(f"{array}_{task}", name="shots")
        log = self.finish(f"{array}_3", name="shots", state="FAILED", status=WRONG)
        self.assertIn("shots.txt has no shot 3", log)
        fewer = ("-P", "solver.linear.max=9")
        self.expect_rows(*fewer)
        self.expect_rows(*fewer, *last(3), directory="other")


class Chain(JobTest):
    def submit_chain(self, scene):
        numbers = self.command(os.path.join(JOBS, "simulate_and_render"), scene, "shot", *ONE_RANK,
                               SINEW_RENDER="--size 64x48 --samples 1")
        return numbers.split()

    def test_simulate_and_render(self):
        self.write({"scene.yaml": SCENE.replace("last: 6", "last: 4")})
        shot, render = self.submit_chain("scene.yaml")
        self.finish(shot)
        self.finish(render, name="render")
        self.assertEqual(self.files(".png", "shot/render"), ["render_0001.png", "render_0004.png"])
        self.expect_rows(*last(4), directory="shot")

    def test_no_pictures_of_a_failure(self):
        self.write({"bad.yaml": SCENE.replace("cell", "sell")})
        shot, render = self.submit_chain("bad.yaml")
        self.finish(shot, state="FAILED", status=WRONG)
        self.wait_for(render, lambda about: about.get("JobState") == "CANCELLED", "stays")


class Scaling(JobTest):
    def test_study(self):
        job = self.submit(script="scaling.sbatch", options=("--nodes=2",), RANKS="1 2",
                          THREADS="1 3", BENCHES="solve", SIZES="8", SCENE="scene.yaml",
                          BODY="beam", CELLS="0.1", OUT="study.csv")
        log = self.finish(job, name="scaling")
        with open(self.path("study.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        points = {(row["nodes"], row["ranks"], row["threads"]) for row in rows}
        self.assertEqual(points, {("1", "1", "1"), ("1", "2", "1"),
                                  ("1", "1", "3"), ("2", "2", "3")}, log)
        frames = [row for row in rows if row["what"] == "scene.yaml"]
        self.assertEqual((len(frames), len({row["digest"] for row in frames})), (4, 1))
        counts = {row["value"] for row in rows if row["figure"] == "solve/iterations/cube"}
        self.assertEqual(len(counts), 1)
        for row in rows:
            self.assertGreater(float(row["value"]), 0)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["beam.obj", f"scaling-{job}.log", "scene.yaml", "study.csv"])


def setUpModule():
    JobTest.cluster = cluster.Cluster()
    unittest.addModuleCleanup(JobTest.cluster.stop)


if __name__ == "__main__":
    if cluster.missing():
        print("skipped: Slurm is not installed here:", *cluster.missing())
        sys.exit(SKIPPED)
    program.main()
