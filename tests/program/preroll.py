"""The frames before the first: bones and pins come from where they rest to where the shot begins.
They are solved as others are, and a run goes on in them as in others; what is written begins with
the first frame, unless all is asked for."""

import os

import program
import surface_files
from restarts import DONE, RestartTest, STOPPED, last

PREROLL = 4
SCENE = f"""\
frames: {{first: 1, last: 3, fps: 24, preroll: {PREROLL}}}
gravity: [0, 0, 0]
bodies: [{{name: beam, mesh: beam.obj, cell: 0.1, material: {{young: 4.0e4, poisson: 0.3}}}}]
bones:
  - name: core
    body: beam
    mesh: "builtin:sphere,radius=0.08,detail=3"
    place: {{translate: [0.1, 0.1, 0.1]}}
    motion: {{keys: [{{frame: 1, translate: [0.3, 0, 0]}}, {{frame: 3, translate: [0.3, 0.02, 0]}}]}}
solver: {{newton: {{max: 20, tolerance: 1.0e-3}}, linear: {{max: 10}}}}
output: {{dir: run, checkpoint: {{every: 1, keep: 9}}}}
"""
EVERYTHING = ("-P", "output.preroll=true")
WITHOUT = ("-P", "frames.preroll=0")
CELL = 0.1


class Preroll(RestartTest):
    scene = "preroll.yaml"

    def setUp(self):
        super().setUp()
        self.write({"preroll.yaml": SCENE})

    def frames(self):
        return [int(row["frame"]) for row in self.rows()]

    def test_goes_on_within_it_and_after_it(self):
        """On other ranks, from a checkpoint of a frame that is not written."""
        self.succeed(*EVERYTHING)
        whole = self.rows()
        self.assertEqual([int(row["frame"]) for row in whole], list(range(1 - PREROLL, 4)))
        self.assertAlmostEqual(float(whole[0]["time"]), -PREROLL / 24)
        surface_files.points(self.path("run/surface_-003.vtkhdf"))
        for command in (("render", "--size", "32x24", "--samples", "1"), ("export", "--to", "mdd"),
                        ("report", "--output", "page.html")):
            for frames, status in (("-3:0", 0), ("-2", 0), (":-1", 0), ("7:9", 1)):
                result = self.program.run(command[0], "run", *command[1:], "--frames", frames,
                                          folder=self.folder)
                self.assertEqual(result.status, status, result.errors)
        self.assertEqual(sorted(os.listdir(self.path("run/render"))),
                         [f"render_{frame}.png" for frame in ("-001", "-002", "-003", "0000")])
        for checkpoint in range(-1, 4):
            os.remove(self.path(f"run/checkpoint_{checkpoint:04d}.h5"))
        result = self.succeed("--restart", ranks=3)
        self.assertIn("checkpoint_-002.h5", result.errors)
        self.assertEqual(self.rows(), whole[PREROLL:])
        os.remove(self.path("run/checkpoint_0003.h5"))
        self.succeed(*EVERYTHING, "--restart", ranks=2)
        self.assertEqual(self.rows(), whole)

    def test_takes_flesh_to_the_first_frame(self):
        result = self.succeed()
        self.assertEqual(self.frames(), [1, 2, 3])
        self.assertNotIn("preroll", result.errors)
        rows = self.rows()
        self.assertLess(float(rows[0]["bone_error"]), CELL)
        self.assertEqual([row["inverted"] for row in rows], ["0"] * 3)
        self.assertFalse(os.path.exists(self.path("run/surface_0000.vtkhdf")))
        moved = [point[0] for point in surface_files.points(
            surface_files.frame_path(self.path("run"), 1))]
        self.assertGreater(min(moved), 0.2)  # all of the beam has gone along

    def test_without_it_a_leap_is_told(self):
        result = self.succeed(*WITHOUT, "--dry-run")
        self.assertRegex(result.errors, "begins with 1 bones off their flesh, 'core' by 3 cells")
        self.assertRegex(result.errors, "frames.preroll: 10 ")


if __name__ == "__main__":
    program.main()
