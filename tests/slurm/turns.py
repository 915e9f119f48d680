"""A shot has as many turns in the queue as it takes, and comes out as if there had been one."""

import job_test
from job_test import ENDLESS, TWO_NODES, JobTest
from restarts import STOPPED

# Half a minute of this is soon repeated without.
SLOW = ("--preview", "-P", "output.checkpoint.every=1", "-P", "output.octree=true")


class Turns(JobTest):
    def test_time_limit(self):
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", *SLOW, options=(*TWO_NODES, "--time=1",
                                                        "--signal=B:USR1@20"))
        self.wait_for_requeue(job)
        log = self.finish(job)
        self.assertRegex(log, "(?s)turn 1: the time limit is near.*stopped by a signal.*"
                              "turn 1: stopped with status 3.*turn 2: .*going on from")
        self.expect_whole_shot()

    def test_lost_node(self):
        """Its silence tells that it is dead, and the shot goes on with what is left."""
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", "-P", "output.checkpoint.every=1", options=TWO_NODES)
        self.wait_for_frame(job)
        self.wait_for(job, lambda about: self.files(), "has no checkpoint")
        lost = self.about(job)["BatchHost"]
        self.cluster.kill_node(lost)
        try:
            self.wait_for_requeue(job)
            self.cluster.run("scontrol", "update", f"jobid={job}", "numnodes=1", "numtasks=1")
            log = self.finish(job)
        finally:
            self.cluster.reboot_node(lost)
        self.assertRegex(log, "(?s)turn 2: .*going on from")
        self.assertNotIn(lost, self.about(job)["NodeList"])
        self.expect_whole_shot()

    def test_mpirun(self):
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", SINEW_LAUNCH=self.program.launcher[0])
        self.wait_for_frame(job)
        self.cluster.run("scancel", "--batch", "--signal=USR1", job)
        self.wait_for_requeue(job)
        self.assertRegex(self.finish(job), "(?s)stopped by a signal.*turn 2: .*going on from")
        self.expect_whole_shot()

    def test_enough_turns(self):
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", SINEW_MOST_TURNS="1")
        self.wait_for_frame(job)
        self.write({"run/stop": ""})
        log = self.finish(job, state="FAILED", status=STOPPED)
        self.assertRegex(log, "(?s)stopped by the file 'stop'.*turn 1: .*these are enough turns")

    def test_cancelled(self):
        """It does not come back by itself, but can be submitted again."""
        self.write({"scene.yaml": ENDLESS})
        job = self.submit("scene.yaml", "-P", "output.checkpoint.every=0")
        self.wait_for_frame(job)
        self.cluster.run("scancel", job)
        self.wait_for(job, lambda about: about.get("JobState") == "CANCELLED", "goes on")
        self.shorten_shot()
        self.assertEqual(len(self.files()), 1, self.log(job))
        self.assertIn("going on from", self.finish(self.submit("scene.yaml")))
        self.expect_whole_shot()


if __name__ == "__main__":
    job_test.main()
