"""A run goes on as if nothing had happened: the same digests, on another number of ranks, from
the newest checkpoint that is whole, and never as another scene."""

import os
import shutil
import subprocess

import program
from restarts import (BEAM, DONE, EULER, MACHINE, PARMETIS, QUASISTATIC, WRONG, RestartTest,
                      last)


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
        self.assertEqual(self.files(), ["checkpoint_0004.h5", "checkpoint_0005.h5"])  # the end
        result = self.succeed(*PARMETIS, "--restart", ranks=7, threads=2)
        self.assertRegex(result.errors, r"going on from .*checkpoint_0005\.h5")
        self.assertEqual(self.files(), ["checkpoint_0005.h5", "checkpoint_0006.h5"])
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
        before = program.listing(self.folder)
        result = self.succeed("--restart", "-P", "name=other", "-P", "output.checkpoint.keep=1",
                              ranks=2)
        self.assertRegex(result.errors, "the shot is finished: frame 6 was the last; nothing is left")
        self.assertEqual(program.listing(self.folder), before)
        self.expect_rows()

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
        self.assertEqual(self.files(), ["checkpoint_0003.h5"])  # that of the end
        self.refuse(WRONG, "gravity.* now and was ", *never, "-P", "gravity=[0, 0, 1]")
        self.succeed(*never)
        self.expect_rows()
        self.assertRegex(self.succeed(*never).errors, "the shot is finished: frame 6 was the last")


class InContact(RestartTest):
    scene = "touching.yaml"

    def test_in_contact(self):
        """Stopped while everything touches: what friction remembers goes on too."""
        often = ("-P", "output.checkpoint.every=2")
        self.succeed(*often, *last(4), ranks=3)
        self.assertGreater(float(self.rows()[-1]["max_penetration"]), 0)
        self.succeed(*often, *last(5), *PARMETIS, "--restart", threads=2)
        if not self.sanitized:
            self.succeed(*last(6), "--restart", ranks=2)
            self.expect_rows()
        else:
            self.expect_rows(*last(5))

    def test_coarse_meshes(self):
        """What touches between the vertices of a coarse mesh goes on as well."""
        coarse = ("-P", "bodies.block.mesh=builtin:cube,x=0.6,y=0.2,z=0.3,detail=1", "-P",
                  "bodies.ball.mesh=builtin:cube,size=0.3,detail=1")
        self.succeed(*coarse, "-P", "output.checkpoint.every=2", *last(4), ranks=3)
        self.succeed(*coarse, *last(6), "--restart", ranks=2)
        self.expect_rows(*coarse)


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
        for name in ("scene.yaml", "frames.csv", "surface.xmf", "surface_0001.vtkhdf"):
            self.refuse(WRONG, "has the files of another run.*--overwrite")
            os.remove(self.path(f"run/{name}"))
        self.succeed("--overwrite", *last(1))
        self.assertEqual(self.files(), ["checkpoint_0001.h5"])


class Changed(RestartTest):
    """A scene that is another from a frame on."""
    KEYS = "[{frame: 1}, {frame: 3, translate: [0, 0.04, 0.02]}, {frame: 6, translate: [0, 0.1, 0]}]"
    LIFTED = ("-P", f"pins.left.motion.keys={KEYS}")
    OFTEN = ("-P", "output.checkpoint.every=1", "-P", "output.checkpoint.keep=9", "-P",
             "output.every=1")

    def go_on(self, frame, *arguments, **how):
        return self.succeed(*self.OFTEN, "--restart", "--from", str(frame), "--allow-changes",
                            *arguments, **how)

    def surfaces(self, frames):
        listed = program.listing(self.folder)
        return [listed[f"run/surface_{frame:04}.vtkhdf"] for frame in frames]

    def test_motion(self):
        """All frames are those of the changed scene without a break; those before are not touched."""
        self.succeed(*self.OFTEN)
        kept = self.surfaces(range(1, 4))
        result = self.go_on(4, *self.LIFTED, ranks=3)
        self.assertRegex(result.errors, r"going on from .*checkpoint_0003\.h5")
        with open(self.path("run/log.txt")) as log:
            self.assertRegex(log.read(), r"changed: pins\[0\]\.motion\.keys\[2\]\.translate is "
                                         r"\[0, 0\.1.*, 0\], was \[0, 0, 0\]")
        self.assertEqual(self.surfaces(range(1, 4)), kept)
        self.expect_rows(*self.LIFTED)
        self.succeed(*self.OFTEN, *self.LIFTED, "--restart", *last(7))

    def test_change_that_counts_before(self):
        """Frames between the checkpoint and the change must stay what they were."""
        self.succeed("-P", "output.checkpoint.every=3")
        result = self.run_scene("--restart", "--from", "5", "--allow-changes", *self.LIFTED)
        self.assertEqual(result.status, WRONG, result.errors)
        self.assertIn("frame 4 comes out otherwise than before", result.errors)
        self.succeed("--restart")
        self.expect_rows()

    def test_material_and_collider(self):
        """They count from that frame on, and a scene as changed is the run's from then on."""
        self.succeed(*self.OFTEN, *last(4))
        before = self.rows()
        wall = ("-P", "bodies.beam.material.young=9.0e4", "-P",
                "colliders=[{name: wall, shape: {plane: {point: [0, -0.19, 0], normal: [0, 1, 0]}}}]")
        self.go_on(3, *wall, *last(4))
        after = self.rows()
        self.assertEqual(after[:2], before[:2])
        self.assertEqual([row["frame"] for row in after], ["1", "2", "3", "4"])
        self.assertGreater(float(after[3]["max_penetration"]), 0)
        self.refuse(WRONG, "young.* now and was .*another shot", *self.OFTEN, "--restart",
                    *last(5))
        self.succeed(*self.OFTEN, *wall, "--restart", *last(5), ranks=2)
        self.assertEqual(self.rows()[:4], after)

    def test_what_cannot_change(self):
        self.succeed(*last(2))
        change = ("--restart", "--from", "3", "--allow-changes")
        self.refuse(WRONG, "substeps.* cannot change on the way", *change, "-P", "frames.substeps=3")
        self.refuse(WRONG, "cell.* cannot change on the way", *change, "-P", "bodies.beam.cell=0.1")
        self.refuse(WRONG, r"no checkpoint is from before frame 2.*checkpoint_0002\.h5, for --from 3",
                    "--restart", "--from", "2")
        self.refuse(WRONG, "--from goes with --restart", "--from", "3")
        self.refuse(WRONG, "--allow-changes goes with --from", "--restart", "--allow-changes")
        self.write({"beam.obj": BEAM.replace("v 1 0.2 0.2", "v 1 0.2 0.19")})
        self.refuse(WRONG, r"beam\.obj: has changed .* meshes cannot change on the way", *change)


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
        for part, ranks in ((0, None), (0.5, 3), (1, None)):
            self.go_on_from_the_one_before(flip(part), ranks=ranks)

    def test_cut_off(self):
        self.go_on_from_the_one_before(lambda content: content[:len(content) // 2])
        self.go_on_from_the_one_before(lambda content: b"")

    def test_none_is_whole(self):
        self.damage("checkpoint_0004.h5", flip(0.1))
        self.damage("checkpoint_0002.h5", flip(0.9))
        self.refuse(MACHINE, "no checkpoint is whole; nothing was changed", "--restart")
        self.refuse(MACHINE, "no checkpoint is whole", "--restart", ranks=3)


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
    program.main()
