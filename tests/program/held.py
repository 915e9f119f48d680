"""One run at a time holds a directory: a second is refused with the owner's name, dead owners give it
up, and of several that want to take over one does."""

import contextlib
import itertools
import os
import re
import signal
import subprocess
import time
import unittest.mock

import program
from restarts import DONE, LONG, MACHINE, STOPPED, WRONG, RestartTest, last

OWNER = "run/held_by.txt"
SILENT = 400  # seconds: longer than an owner may be
HEIRS = 4


class HeldTest(RestartTest):
    def start(self, *arguments):
        """A run that has reached its second frame."""
        running = self.program.start("run", "scene.yaml", *LONG, *arguments, folder=self.folder)
        self.addCleanup(end, running)
        for line in running.stderr:
            if "frame 2 of" in line:
                return running
        self.fail("ended before its time")

    def killed(self):
        running = self.start()
        end(running)

    def turn_away(self, says):
        """While somebody else is at work there."""
        result = self.run_scene("--restart")
        self.assertEqual(result.status, WRONG, result.errors)
        self.assertRegex(result.errors, says)

    def owner(self):
        with open(self.path(OWNER)) as file:
            return file.read()

    def pretend(self, silent=0, **changes):
        """An owner that another host would see."""
        text = self.owner()
        for key, value in changes.items():
            text = re.sub(rf"(?m)^{key} .*$", f"{key} {value}", text)
        self.write({OWNER: text})
        then = time.time() - silent
        os.utime(self.path(OWNER), (then, then))


def end(running):
    if running.poll() is None:
        running.send_signal(signal.SIGKILL)
    running.communicate()


class OnThisHost(HeldTest):
    def test_second_run(self):
        running = self.start()
        who = rf"held by another run: process {running.pid} on \S+, since 20"
        for arguments in ([], ["--overwrite"], ["--restart"]):
            result = self.run_scene(*LONG, *arguments)
            self.assertEqual(result.status, WRONG, result.errors)
            self.assertRegex(result.errors, who)
        running.send_signal(signal.SIGUSR1)
        self.assertEqual(program.finish(running).status, STOPPED)
        self.assertFalse(os.path.exists(self.path(OWNER)))
        reached = len(self.rows())
        self.succeed("--restart", *last(reached + 1))
        self.expect_rows(*last(reached + 1))

    def test_dead_owner(self):
        """Many restarts at once: one goes on, the others say who."""
        self.killed()
        self.assertIn("process ", self.owner())
        runs = [self.program.start("run", "scene.yaml", *LONG, "--restart", folder=self.folder)
                for _ in range(HEIRS)]
        for running in runs:
            self.addCleanup(end, running)
        ended = lambda: [running for running in runs if running.poll() is not None]
        self.assertTrue(program.wait_until(lambda: len(ended()) == HEIRS - 1, program.TIMEOUT))
        heir, = set(runs) - set(ended())
        for running in ended():
            result = program.finish(running)
            self.assertEqual(result.status, WRONG, result.errors)
            self.assertRegex(result.errors, f"held by another run: process {heir.pid} on ")
        self.assertIn(f"process {heir.pid}\n", self.owner())
        end(heir)
        self.assertEqual(self.files(".txt"), ["held_by.txt", "log.txt", "manifest.txt"])

    def test_overwrite_after_a_kill(self):
        self.killed()
        result = self.succeed(status=WRONG)
        self.assertIn("has the files of another run", result.errors)
        self.succeed("--overwrite")
        self.expect_rows()

    def test_heir_that_died(self):
        """Between its claim and its first name: whoever comes next takes over from it."""
        self.killed()
        token = re.search(r"(?m)^token (\w+)$", self.owner())[1]
        claim = self.owner().replace(token, token[::-1])
        self.write({f"run/held_by.{token}.txt": claim})
        self.succeed("--restart", *last(6))
        self.assertEqual(self.files(".txt"), ["log.txt", "manifest.txt"])

    def test_asleep(self):
        """It is silent for long, and will go on: only force takes the directory from it."""
        running = self.start()
        running.send_signal(signal.SIGSTOP)
        self.pretend(silent=SILENT)
        self.turn_away(f"held by another run: process {running.pid} on ")
        running.send_signal(signal.SIGCONT)
        running.send_signal(signal.SIGTERM)
        self.assertEqual(program.finish(running).status, STOPPED)

    def test_taken_by_force(self):
        running = self.start()
        self.succeed("--restart", "--take-over", *last(4))
        result = program.finish(running)
        self.assertEqual(result.status, MACHINE, result.errors)

    def test_robbed_while_asleep(self):
        """When it wakes up, whoever took the directory has come to its end. It may have fallen asleep
        over a file, which is gone then."""
        running = self.start()
        running.send_signal(signal.SIGSTOP)
        self.succeed("--restart", "--take-over", *last(4))
        running.send_signal(signal.SIGCONT)
        result = program.finish(running)
        self.assertEqual(result.status, MACHINE, result.errors)
        self.assertRegex(result.errors, "taken over by another run, which has ended since|"
                                        "cannot be written: No such file")
        self.assertFalse(os.path.exists(self.path(OWNER)))

    def test_removed_by_hand(self):
        """What says who holds it is made again."""
        running = self.start()
        os.remove(self.path(OWNER))
        self.assertTrue(program.wait_until(lambda: os.path.exists(self.path(OWNER)),
                                           program.TIMEOUT))
        self.turn_away(f"held by another run: process {running.pid} on ")

    def test_the_one_that_was_robbed(self):
        """It writes nothing more, and says who has the directory."""
        running = self.start()
        self.pretend(host="elsewhere", token="0123456789abcdef")
        result = program.finish(running)
        self.assertEqual(result.status, MACHINE, result.errors)
        self.assertRegex(result.errors, "taken over by another run: process .* on elsewhere")
        self.assertIn("0123456789abcdef", self.owner())


class OnOtherHosts(HeldTest):
    def setUp(self):
        super().setUp()
        self.killed()

    def test_signs_of_life(self):
        self.pretend(host="elsewhere", machine="other")
        self.refuse(WRONG, "on elsewhere, since .*--take-over", "--restart")
        self.pretend(host="elsewhere", machine="other", silent=SILENT)
        self.succeed("--restart", *last(4))

    def test_turns_of_a_job(self):
        """A later turn of the owner's job, and no other job."""
        self.pretend(host="elsewhere", machine="other", job="film/4711", turn="1")
        job = dict(SLURM_JOB_ID="4711", SLURM_CLUSTER_NAME="film")
        for number, turn, status in [("4711", "1", WRONG), ("4712", "2", WRONG),
                                     ("4711", "2", DONE)]:
            job.update(SLURM_JOB_ID=number, SLURM_RESTART_COUNT=turn)
            with unittest.mock.patch.dict(os.environ, job):
                result = self.run_scene("--restart", *last(4))
            self.assertEqual(result.status, status, result.errors)

    def test_unreadable(self):
        self.write({OWNER: "half a li"})
        self.refuse(WRONG, "held_by.txt does not say which run", "--restart")
        self.succeed("--restart", "--take-over", *last(4))


FAR = "far-away"
ANOTHER_HOST = ["unshare", "--user", "--map-root-user", "--uts", "--pid", "--fork", "--kill-child",
                "--mount-proc", "sh", "-c", f'hostname {FAR} && exec "$@"', "sh"]
ANOTHER_NAME = [word for word in ANOTHER_HOST if word not in ("--pid", "--fork", "--kill-child",
                                                              "--mount-proc")]


@contextlib.contextmanager
def elsewhere(sinew, host):
    """Within this the program is started on that host."""
    def command(arguments, ranks):
        return [*host, *program.Program.command(sinew, arguments, ranks)]
    with unittest.mock.patch.object(sinew, "command", command):
        yield


class OnTwoHosts(HeldTest):
    """Both write in the same folder. To the program another host is what has other processes, which the
    kernel gives to whoever asks, with a name of its own."""

    def setUp(self):
        super().setUp()
        if subprocess.run([*ANOTHER_HOST, "true"], capture_output=True).returncode != 0:
            self.skipTest("no second host can be made here")

    def test_lives_here(self):
        running = self.start()
        with elsewhere(self.program, ANOTHER_HOST):
            self.turn_away(rf"process {running.pid} on (?!{FAR})\S+, since")

    def test_lives_there(self):
        with elsewhere(self.program, ANOTHER_HOST):
            self.start()
        self.turn_away(rf"process \d+ on {FAR}, since")

    def test_died_here(self):
        """Nobody there can know, until it was silent for long."""
        self.killed()
        with elsewhere(self.program, ANOTHER_HOST):
            self.refuse(WRONG, rf"on (?!{FAR})\S+, since", "--restart")
            self.pretend(silent=SILENT)
            self.succeed("--restart", *last(4))

    def test_same_numbers(self):
        """A process of the owner's number is another one on another host."""
        with elsewhere(self.program, ANOTHER_HOST):
            self.killed()
            self.assertRegex(self.owner(), r"(?m)^process 1$")  # here it surely lives
            self.refuse(WRONG, rf"process 1 on {FAR}, since", "--restart")
        self.refuse(WRONG, rf"process 1 on {FAR}, since", "--restart")
        self.pretend(silent=SILENT)
        self.succeed("--restart", *last(4))

    def test_two_names_of_one_host(self):
        """Its processes can be looked at, so what is dead is known to be."""
        with elsewhere(self.program, ANOTHER_NAME):
            running = self.start()
        self.turn_away(rf"on {FAR}, since")
        end(running)
        self.succeed("--restart", *last(4))


class Foreign(RestartTest):
    """What no run wrote is never touched."""
    KEPT = {"run/surface_notes.vtkhdf": "a", "run/surface.part": "b", "run/mine.part": "c",
            "run/surface_0099.vtkhdf": "d", "run/checkpoint_of_mine.h5": "e"}
    IN_THE_WAY = ("log.txt", "timing.csv", "surface_0001.vtkhdf", "checkpoint_0002.h5",
                  "frames.csv", "preview_0003.png", "octree.xmf", "scene.yaml")

    def test_in_the_way(self):
        os.mkdir(self.path("run"))
        for name, how in zip(self.IN_THE_WAY, itertools.cycle(([], ["--overwrite"], ["--restart"]))):
            self.write({f"run/{name}": "mine"})
            self.refuse(WRONG, rf"in the way that no run's manifest.txt names: {name};", *how)
            os.remove(self.path(f"run/{name}"))
        self.write({f"run/{name}": "mine" for name in self.IN_THE_WAY})
        self.refuse(WRONG, ", ".join(sorted(self.IN_THE_WAY)))

    def test_not_in_the_way(self):
        os.mkdir(self.path("run"))
        self.write(self.KEPT)
        before = program.listing(self.folder)
        self.succeed(*last(2))
        self.succeed("--overwrite", *last(3))
        self.succeed("--restart")
        after = program.listing(self.folder)
        for name in self.KEPT:
            self.assertEqual(after[name], before[name])
        self.refuse(WRONG, "names: surface_0099.vtkhdf;", "--restart", *last(100))

    def test_links(self):
        """They are in the way at first, and later they are replaced, not followed."""
        os.mkdir(self.path("run"))
        self.write({"precious": "mine"})
        for name in ("log.txt", "frames.csv", "surface_0001.vtkhdf"):
            os.symlink("../precious", self.path(f"run/{name}"))
            self.refuse(WRONG, rf"names: {name};", "--overwrite")
            os.remove(self.path(f"run/{name}"))
        self.succeed(*last(2))
        for name in ("log.txt", "frames.csv", "timing.csv", "surface_0001.vtkhdf"):
            if os.path.exists(self.path(f"run/{name}")):
                os.remove(self.path(f"run/{name}"))
            os.symlink("../precious", self.path(f"run/{name}"))
        result = self.succeed("--restart")
        self.assertRegex(result.errors, r"warning: .*run/log\.txt: Too many levels of symbolic")
        self.expect_rows()
        with open(self.path("precious")) as file:
            self.assertEqual(file.read(), "mine")

    def test_linked_directory(self):
        """Where a disk is mounted is the user's to say."""
        os.mkdir(self.path("disk"))
        os.symlink("disk", self.path("run"))
        self.succeed(*last(2))
        self.assertIn("frames.csv", os.listdir(self.path("disk")))

    def test_not_a_manifest(self):
        os.mkdir(self.path("run"))
        self.write({"run/manifest.txt": "of my own\n"})
        self.refuse(WRONG, "manifest.txt is not the manifest of a run", "--overwrite")


if __name__ == "__main__":
    program.main()
