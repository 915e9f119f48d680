"""The scripts in jobs/ under a real Slurm: shots on two nodes, what is wrong with them, arrays,
chains and a scaling study."""

import csv
import os

import job_test
from job_test import JOBS, ONE_RANK, JobTest
from restarts import SCENE, WRONG, last


class Shots(JobTest):
    def test_two_nodes(self):
        shape = ("--nodes=2", "--ntasks-per-node=2", "--ntasks-per-socket=1", "--cpus-per-task=2")
        log = self.finish(self.submit("scene.yaml", *last(2), options=shape))
        self.assertIn("n[1-2], 2 threads a rank", log)
        self.expect_rows(*last(2))

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

    def test_study(self):
        before = set(os.listdir(self.folder))
        job = self.submit(script="scaling.sbatch", options=("--nodes=2",), RANKS="2 9",
                          THREADS="1 3", BENCHES="convergence", SIZES="8", SCENE="scene.yaml",
                          BODY="beam", CELLS="0.1", LAST="2", OUT="study.csv")
        log = self.finish(job, name="scaling")
        with open(self.path("study.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
        points = {(row["nodes"], row["ranks"], row["threads"]) for row in rows}
        self.assertEqual(points, {("1", "2", "1"), ("2", "2", "3")}, log)  # 9 ranks do not fit
        frames = [row for row in rows if row["what"] == "scene.yaml"]
        self.assertEqual((len(frames), len({row["digest"] for row in frames})), (2, 1))
        iterations = {(row["figure"], row["value"]) for row in rows if row["unit"] == "iterations"}
        self.assertEqual(len(iterations), len(dict(iterations)), log)
        self.assertGreater(len(iterations), 0)
        for row in rows:
            self.assertGreater(float(row["value"]), 0)
        self.assertEqual(set(os.listdir(self.folder)) - before,
                         {f"scaling-{job}.log", "study.csv"})


if __name__ == "__main__":
    job_test.main()
