"""What tests of the scripts in jobs/ share: a cluster, and jobs to submit to it and to wait for."""

import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "program", "helpers"))

import cluster
import program
from restarts import DONE, SCENE, RestartTest, last

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

    @classmethod
    def setUpClass(cls):
        cls.cluster = cluster.Cluster()
        cls.addClassCleanup(cls.cluster.stop)

    def setUp(self):
        super().setUp()
        self.environment = dict(self.cluster.environment, **SEPARATE, SINEW=self.program.path)
        self.addCleanup(self.cluster.end_jobs)

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
        """Until the job waits for its second turn; then the shot's end is near."""
        self.wait_for(job, lambda about: about.get("Restarts") == "1" and
                      about["JobState"] == "PENDING", "is not queued again")
        self.shorten_shot()

    def ranks(self):
        """The processes of this test's shots, also of those that Slurm has given up."""
        return [pid for pid in program.processes() if runs_in(pid, self.program.path, self.folder)]

    def shorten_shot(self):
        """Two frames more than it has, when the turn has really ended."""
        self.assertTrue(program.wait_until(lambda: not self.ranks(), program.TIMEOUT))
        self.reached = len(self.rows())
        self.write({"scene.yaml": SCENE.replace("last: 6", f"last: {self.reached + 2}")})

    def expect_whole_shot(self):
        """As if there had been one turn."""
        self.assertEqual(len(self.rows()), self.reached + 2)
        self.expect_rows(*last(self.reached + 2))


def runs_in(pid, executable, folder):
    try:
        return (os.path.samefile(f"/proc/{pid}/exe", executable)
                and os.path.samefile(f"/proc/{pid}/cwd", folder))
    except OSError:  # it has just ended, or is not ours to look at
        return False


def main():
    if cluster.missing():
        print("skipped: Slurm is not installed here:", *cluster.missing())
        sys.exit(SKIPPED)
    program.main()
