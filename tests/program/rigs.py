"""Bones from a character's file: it is put into a scene in a line or two, and its flesh goes as its
joints do. What is wrong with a rig is told in one message, before anything is written."""

import csv
import os

import collada_rig
import fbx_rig
import gltf_rig
import program
import surface_files

CELL = 0.1
SCENE = """\
frames: {first: 1, last: 3, fps: 4, preroll: 4}
gravity: [0, 0, 0]
bodies: [{name: bar, mesh: man.gltf, cell: 0.1, material: {young: 3.0e4, poisson: 0.3}}]
solver: {mode: quasistatic, newton: {max: 20}}
bones: """
BALL = """\
frames: {first: 1, last: 3, fps: 24}
gravity: [0, 0, 0]
bodies: [{name: ball, mesh: "builtin:sphere,radius=0.5,detail=8", cell: 0.1, material: {poisson: 0.2}}]
solver: {mode: quasistatic, newton: {max: 20}}
bones: {name: box, mesh: box_1.obj, motion: {sequence: "box_#.obj"}}
"""
OWN = "{from: man.gltf}\n"
ARM = """HIERARCHY
ROOT shoulder {{ OFFSET 0.2 0 0 CHANNELS 3 Zrotation Yrotation Xrotation
JOINT {name} {{ OFFSET {elbow} 0 0 CHANNELS 3 Zrotation Yrotation Xrotation End Site {{ OFFSET 1 0 0 }} }} }}
MOTION
Frames: 3
Frame Time: 0.25
0 0 0 {turns[0]} 0 0
0 0 0 {turns[1]} 0 0
0 0 0 {turns[2]} 0 0
"""


class Rigs(program.ProgramTest):
    def run_scene(self, bones=OWN, *arguments, **files):
        rig, numbers = gltf_rig.document()
        self.write({"man.gltf": gltf_rig.text(rig, numbers), "scene.yaml": SCENE + bones,
                    **{name.replace("_", "."): text for name, text in files.items()}})
        return self.program.run("run", "scene.yaml", "--overwrite", *arguments, folder=self.folder)

    def succeed(self, *arguments, **files):
        result = self.run_scene(*arguments, **files)
        self.assertEqual(result.status, 0, result.errors)
        return result.errors

    def check_bent(self, frame, degrees):
        """The end of the bar is where the elbow takes it, as a whole, within half a cell."""
        points = surface_files.points(surface_files.frame_path(self.path("run"), frame))
        angle = degrees * 3.141592653589793 / 180
        file = gltf_rig.vertices()
        ends = [gltf_rig.place(v, angle) for v in file if v[0] == gltf_rig.LENGTH]
        for end in ends:
            distance = min(sum((a - b) ** 2 for a, b in zip(end, point)) ** 0.5 for point in points)
            self.assertLess(distance, CELL / 2, f"frame {frame}: {end}")

    def rows(self):
        with open(self.path("run/frames.csv")) as file:
            return list(csv.DictReader(file))

    def check_rows(self):
        for row in self.rows():
            self.assertLess(float(row["bone_error"]), CELL)
            self.assertEqual(row["inverted"], "0")

    def test_its_own_animation(self):
        """From how it was bound, straight, to how its animation begins, bent; then further."""
        errors = self.succeed()
        self.assertRegex(errors, "man.gltf: 2 bones; no flesh is around 1 joints: tip")
        self.assertNotIn("off their flesh", errors)
        self.check_rows()
        self.check_bent(1, 20)
        self.check_bent(3, 30)

    def run_of_assimp(self, name, text, bones, *arguments):
        self.write({name: text, "scene.yaml": SCENE.replace("man.gltf", name) + bones})
        return self.program.run("run", "scene.yaml", "--overwrite", *arguments, folder=self.folder)

    def test_through_assimp(self):
        """The same bar as FBX, with axes that were turned before, and as Collada."""
        for name, text in (("man.fbx", fbx_rig.text(*fbx_rig.parts())),
                           ("man.dae", collada_rig.text(collada_rig.parts()))):
            result = self.run_of_assimp(name, text, f"{{from: {name}}}\n")
            self.assertEqual(result.status, 0, result.errors)
            self.assertRegex(result.errors, f"{name}: 2 bones")
            self.check_rows()
            self.check_bent(1, 20)
            self.check_bent(3, 30)

    def test_a_motion_through_assimp(self):
        """An FBX file moves the skeleton of a glTF file, by names."""
        self.write({"bend.fbx": fbx_rig.text(*fbx_rig.parts())})
        bones = "{from: man.gltf, motion: {gltf: bend.fbx, rest_frame: 1}}\n"
        self.succeed(bones)
        self.check_rows()
        self.check_bent(3, 30)

    def test_bad_rigs_through_assimp(self):
        def fbx(name, *changes):
            objects, connections = fbx_rig.parts()
            objects[name] = objects[name].replace(*changes) if changes else objects.pop(name)[:0]
            return fbx_rig.text(objects, [c for c in connections if name != "skin" or
                                          "20" not in c.split(",")])

        def collada(old, new):
            return collada_rig.text({key: value.replace(old, new)
                                     for key, value in collada_rig.parts().items()})

        for name, text, says in (
                ("man.fbx", fbx("skin"), "it has no skin, and so no skeleton"),
                ("man.fbx", fbx("elbow", "LimbNode", "Limb")[:1500], "cannot read the"),
                ("man.dae", collada("root elbow", "root root"), "skin's joint|cannot read"),
                ("man.dae", collada("1 0 0 -100 0 1", "0 0 0 -100 0 1"),
                 'inverse bind matrix of "elbow" cannot be undone')):
            result = self.run_of_assimp(name, text, f"{{from: {name}}}\n", "--dry-run")
            errors = [line for line in program.own_lines(result.errors) if " error: " in line]
            self.assertEqual((result.status, len(errors)), (1, 1), f"{says}: {result.errors}")
            self.assertRegex(errors[0], says)
        text = fbx_rig.text(*fbx_rig.parts())
        for bones, says in (
                ("{from: man.fbx, skin: coat}", 'it has no skin "coat"; it has: bar'),
                ("{from: man.fbx, motion: {gltf: man.fbx, animation: jump}}",
                 'it has no animation "jump"; it has: bend')):
            result = self.run_of_assimp("man.fbx", text, bones + "\n", "--dry-run")
            self.assertEqual(result.status, 1)
            self.assertRegex(result.errors, says)

    def test_patterns_and_single_bones(self):
        errors = self.succeed("""
  - {from: man.gltf, skip: ["ti*"], stiffness: {"*": 1.0e6, "ROOT": 2.0e6}}
  - {name: elbow, mesh: "builtin:cube,size=0.2", place: {translate: [1.4, 0, 0]}}
""", "--dry-run")
        self.assertRegex(errors, "man.gltf: 1 bones\n")
        self.assertRegex(errors, "bone 'elbow': [0-9]+ springs")
        self.assertRegex(errors, "bone 'root': [0-9]+ springs")

    def test_the_motion_of_another(self):
        """Of other lengths and names, that rests bent where this one was bound straight."""
        motion = ARM.format(name="bend", elbow=0.3, turns=(0, -15, -30))
        bones = ("{from: man.gltf, motion: {bvh: arm.bvh},"
                 " retarget: {root: shoulder, elbow: bend}}\n")
        self.succeed(bones, arm_bvh=motion)
        self.check_rows()
        self.check_bent(1, 0)
        self.check_bent(3, 30)

    def test_a_bone_that_changes_its_shape(self):
        """A box that grows along x in a ball: flesh is wider as the box is."""
        box = [(x, y, z) for x in (-0.3, 0.3) for y in (-0.2, 0.2) for z in (-0.2, 0.2)]
        faces = "f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n"
        for i in (1, 2, 3):
            grown = 1 + 0.1 * (i - 1)
            self.write({f"box_{i}.obj": "".join(f"v {grown * x} {y} {z}\n" for x, y, z in box)
                        + faces})
        self.write({"ball.yaml": BALL})
        result = self.program.run("run", "ball.yaml", "--overwrite", folder=self.folder)
        self.assertEqual(result.status, 0, result.errors)
        self.check_rows()
        wide = [max(point[0] for point in surface_files.points(
            surface_files.frame_path(self.path("run"), frame))) for frame in (1, 3)]
        self.assertGreater(wide[1] - wide[0], 0.02)  # there is flesh between, which gives way
        self.assertLess(wide[1] - wide[0], 0.07)     # the box goes by 0.06

    def refused(self, says, bones=OWN, change=None, **files):
        rig, numbers = gltf_rig.document()
        if change:
            change(rig, numbers)
        self.write({"scene.yaml": SCENE.replace("mesh: man.gltf", "mesh: 'builtin:cube'") + bones,
                    "man.gltf": gltf_rig.text(rig, numbers),
                    **{name.replace("_", "."): text for name, text in files.items()}})
        result = self.program.run("run", "scene.yaml", "--dry-run", folder=self.folder)
        errors = [line for line in program.own_lines(result.errors) if " error: " in line]
        self.assertEqual((result.status, len(errors)), (1, 1), result.errors)
        self.assertRegex(errors[0], says)
        self.assertFalse(os.path.exists(self.path("run")))

    def test_bad_rigs(self):
        def skin(**members):
            return lambda rig, _: rig["skins"][0].update(members)

        def numbers_of(name, at, value):
            def change(_, numbers):
                numbers[name][2][at] = value
            return change

        def two_skins(rig, _):
            rig["skins"] = [dict(rig["skins"][0], name=name) for name in ("one", "other")]

        def cycle(rig, _):
            rig["nodes"][3]["children"] = [2]

        def without_binds(rig, _):
            del rig["skins"][0]["inverseBindMatrices"]

        def another(rig, _):
            rig["animations"][0]["channels"][0]["target"]["node"] = 4

        # Small files whose parts, each with each, would take memory and time without end.
        def crowd(rig, _):
            rig["skins"] += [{"joints": [1]}] * 1024
            rig["nodes"][4]["skin"] = 1024
            rig["skins"][1024] = dict(rig["skins"][0], name="last")

        def one_sampler_for_all(rig, numbers):
            keys = 2000
            numbers["times"] = ("SCALAR", 5126, [i / keys for i in range(keys)])
            numbers["turns"] = ("VEC4", 5126, [0, 0, 0, 1] * keys)
            first, many = len(rig["nodes"]), 4000
            rig["nodes"] += [{"name": f"n{i}"} for i in range(many)]
            rig["scenes"][0]["nodes"] += range(first, first + many)
            rig["animations"][0]["channels"] = [
                {"sampler": 0, "target": {"node": first + i, "path": "rotation"}}
                for i in range(many)]

        for says, change in (
                (r"man\.gltf: skins\[0\] has no joints", skin(joints=[])),
                (r"nodes\[2\] hangs in several places", cycle),
                (r"skins\[0\] has no inverseBindMatrices", without_binds),
                (r"has 2 skins; choose one of them with `skin`: one, other", two_skins),
                (r"moves none of the skin's joints", another),
                (r"key that is not finite", numbers_of("turns", 1, float("nan"))),
                (r"key that is not finite", numbers_of("times", 1, float("nan"))),
                (r"inverse bind matrix 1 cannot be undone", numbers_of("binds", 16, 0)),
                (r"joints\[1\] is there twice", skin(joints=[1, 1, 3])),
                (r"joints\[2\] is no node of the scene", skin(joints=[1, 2, 9])),
                (r"more than 1024 skins, or more than 16384 joints", skin(joints=[1] * 16385)),
                (r"more than 4194304 keys that are in no file", one_sampler_for_all)):
            self.refused(says, change=change)
        self.refused(r"skins\[1024\]: more than 1024 skins", "{from: man.gltf, skin: last}\n", crowd)
        self.refused(r"bones\[0\]\.from.*all joints are at one place", "{from: flat.bvh}\n",
                     flat_bvh=ARM.format(name="bend", elbow=0, turns=(0, 0, 0))
                     .replace("OFFSET 1 0 0", "OFFSET 0 0 0"))
        self.refused("no joint is called as one here",
                     "{from: man.gltf, motion: {bvh: arm.bvh}}\n",
                     arm_bvh=ARM.format(name="bend", elbow=1, turns=(0, 0, 0)))
        self.refused('the motion\'s skeleton has no joint "hand"; it has: shoulder, bend',
                     "{from: man.gltf, motion: {bvh: arm.bvh}, retarget: {root: hand}}\n",
                     arm_bvh=ARM.format(name="bend", elbow=1, turns=(0, 0, 0)))
        self.refused("none of its joints has flesh of body 'bar' around it",
                     "{from: man.gltf, place: {translate: [9, 9, 9]}}\n")


if __name__ == "__main__":
    program.main()
