"""A rank that is killed takes the whole job with it, soon, and leaves no half picture."""

import os
import signal
import time

import program

RANKS, VICTIM = 3, 1
ENDS_WITHIN = 20  # seconds
OLD_PICTURE = b"a picture from an earlier run"

# Far more work than the test lets it do.
SCENE = """\
name: long
bodies:
  - {name: flesh, mesh: builtin:creature, cell: 0.002}
"""


# The program ignores this signal from the moment MPI is up.
UP = 1 << (signal.SIGXFSZ - 1)


def is_up(pid):
    """Past MPI_Init: before it a death is the launcher's to handle, and Open MPI 4's may hang."""
    with open(f"/proc/{pid}/status") as file:
        ignored = next(line for line in file if line.startswith("SigIgn:"))
    return bool(int(ignored.split()[1], 16) & UP)


def is_rank(pid, sinew, launcher):
    try:
        return (os.path.samefile(f"/proc/{pid}/exe", sinew)
                and program.descends_from(pid, launcher) and is_up(pid))
    except (OSError, StopIteration):  # it has just ended, or is not ours to look at
        return False


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, seconds):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


class KilledRank(program.ProgramTest):
    def ranks_of(self, launcher):
        return sorted(pid for pid in program.processes()
                      if is_rank(pid, self.program.path, launcher.pid))

    def start(self):
        launcher = self.program.start("info", "scene.yaml", "--picture", "picture.png",
                                      ranks=RANKS, folder=self.folder)
        started = wait_until(lambda: len(self.ranks_of(launcher)) == RANKS, program.TIMEOUT)
        self.assertTrue(started, "the ranks did not start")
        return launcher

    def kill_after(self, seconds):
        self.write({"scene.yaml": SCENE, "picture.png": OLD_PICTURE})
        launcher = self.start()
        time.sleep(seconds)
        ranks = self.ranks_of(launcher)
        self.assertEqual(len(ranks), RANKS, "they ended by themselves")
        os.kill(ranks[VICTIM], signal.SIGKILL)
        result = program.finish(launcher, ENDS_WITHIN)
        self.assertNotEqual(result.status, 0)
        self.assertEqual(result.output, "")
        gone = wait_until(lambda: not any(is_alive(pid) for pid in ranks), ENDS_WITHIN)
        self.assertTrue(gone, "ranks live on without their job")
        with open(self.path("picture.png"), "rb") as file:
            self.assertEqual(file.read(), OLD_PICTURE)

    def test_at_the_start(self):
        self.kill_after(0)

    def test_at_work(self):
        self.kill_after(2)


if __name__ == "__main__":
    program.main()
