"""A rank that is killed takes the whole job with it, soon, and leaves no half picture."""

import os
import signal
import time

import program

RANKS, VICTIM = 3, 1
ENDS_WITHIN = 60  # seconds
OLD_PICTURE = b"a picture from an earlier run"

# Far more work than the test lets it do.
SCENE = """\
name: long
bodies:
  - {name: flesh, mesh: builtin:creature, cell: 0.002}
"""


class KilledRank(program.ProgramTest):
    def start(self):
        return self.program.start_ranks("info", "scene.yaml", "--picture", "picture.png",
                                        ranks=RANKS, folder=self.folder)

    def kill_after(self, seconds):
        self.write({"scene.yaml": SCENE, "picture.png": OLD_PICTURE})
        launcher = self.start()
        time.sleep(seconds)
        ranks = self.program.ranks_of(launcher)
        self.assertEqual(len(ranks), RANKS, "they ended by themselves")
        os.kill(ranks[VICTIM], signal.SIGKILL)
        result = program.finish(launcher, ENDS_WITHIN)
        self.assertNotEqual(result.status, 0)
        self.assertEqual(result.output, "")
        gone = program.wait_until(lambda: not any(map(program.is_alive, ranks)), ENDS_WITHIN)
        self.assertTrue(gone, "ranks live on without their job")
        with open(self.path("picture.png"), "rb") as file:
            self.assertEqual(file.read(), OLD_PICTURE)

    def test_at_the_start(self):
        self.kill_after(0)

    def test_at_work(self):
        self.kill_after(2)


if __name__ == "__main__":
    program.main()
