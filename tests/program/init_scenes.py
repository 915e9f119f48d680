"""What `sinew info` says of bare meshes, and scenes that `sinew init` writes: they are understood, built
and simulated, in any unit, with the cells and the cost that were told; those of real characters are
built, where there are any."""

import json
import os
import re

import gltf_rig
import program

DONE, WRONG = 0, 1
DATA = os.environ.get("SINEW_DATA", os.path.join(os.path.dirname(__file__), "../../../shared/data"))
CHARACTERS = (("spot/spot.obj",), ("fox/Fox.glb",), ("human/body.obj", "human/walk1.bvh"),
              ("armadillo/armadillo.obj",))
SQUARES = ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5))


def boxes(*corners, scale=1):
    """Boxes from one corner to another, as an OBJ file with six faces each."""
    lines = []
    for low, high in corners:
        first = len(lines) // 14 * 8 + 1
        lines += ["v " + " ".join(str(scale * (high if c >> d & 1 else low)[d]) for d in range(3))
                  for c in range(8)]
        lines += ["f " + " ".join(str(first + c) for c in square) for square in SQUARES]
    return "\n".join(lines) + "\n"


STAND = ((0, 0, 0), (1, 0.4, 0.8))
CLOSE = ((0, 0.44, 0), (1, 1.7, 0.8))
THROUGH = ((0.5, 0.2, 0.1), (1.5, 0.7, 0.5))


INSIDE = r'from: "inside\.bvh"\n  # Of'
# It stands up z, twice as high as the box that it is put into, in centimetres.
ARM = """HIERARCHY
ROOT root { OFFSET 0 0 0 CHANNELS 3 Zrotation Yrotation Xrotation
JOINT elbow { OFFSET 0 0 100 CHANNELS 3 Zrotation Yrotation Xrotation
JOINT tip { OFFSET 0 0 90 CHANNELS 3 Zrotation Yrotation Xrotation End Site { OFFSET 0 0 10 } } } }
MOTION
Frames: 2
Frame Time: 0.04
0 0 0 0 0 0 0 0 0
0 0 0 0 10 0 0 0 0
"""


class Meshes(program.ProgramTest):
    def about(self, mesh, **how):
        result = self.info(mesh, "--json", **how)
        self.assertEqual(result.status, DONE, result.errors)
        return json.loads(result.output)

    def test_boxes(self):
        self.write({"two.obj": boxes(STAND, CLOSE)})
        about = self.about("two.obj")
        self.assertEqual((about["vertices"], about["triangles"], about["components"]), (16, 24, 2))
        self.assertEqual((about["min"], about["max"]), ([0, 0, 0], [1, 1.7, 0.8]))
        self.assertTrue(about["closed"])
        self.assertAlmostEqual(about["volume"], 0.4 * 0.8 + 1.26 * 0.8)
        self.assertAlmostEqual(about["thinnest_part"]["distance"], 0.4, 4)
        self.assertAlmostEqual(about["closest_parts"]["distance"], 0.04, 4)
        self.assertEqual(about["self_intersections"], {"pairs": 0, "more": False})
        self.assertEqual(about["unit"], "metres")
        self.assertEqual(self.about("two.obj", ranks=2), about)
        text = self.info("two.obj").output
        for line in ("components +2", "thinnest part +0.4", "closest parts +0.04",
                     "self-intersections +none", "metres", "GB"):
            self.assertRegex(text, line)

    def test_self_intersections(self):
        """Named by faces of the file, of a mesh and of a scene."""
        self.write({"through.obj": boxes(STAND, THROUGH),
                    "scene.yaml": "bodies: [{name: flesh, mesh: through.obj, cell: 0.2}]\n"})
        found = self.about("through.obj")["self_intersections"]
        first, second = found["faces"]
        self.assertTrue(1 <= first <= 6 < second <= 12, found)
        (body,) = json.loads(self.info("scene.yaml", "--json").output)["bodies"]
        self.assertEqual(body["self_intersections"], found)
        says = rf"{found['pairs']} pairs of triangles, first faces {first} and {second} at"
        self.assertRegex(self.info("through.obj").output, says)
        self.assertRegex(self.info("scene.yaml").output, "flesh passes through itself: " + says)

    def test_costs(self):
        """About the elements that there are."""
        for mesh in "builtin:creature", "builtin:hand":
            cell = self.about(mesh)["cells"][2]
            self.write({"scene.yaml":
                        f"bodies: [{{name: flesh, mesh: {mesh}, cell: {cell['cell']}}}]\n"})
            there = json.loads(self.info("scene.yaml", "--json").output)["elements"]
            self.assertLess(abs(cell["elements"] / there - 1), 1 / 3)

    def test_not_a_scene(self):
        self.write({"box.obj": boxes(STAND)})
        for wanted, says in (("--picture", "needs a scene"), ("-P", "needs a scene")):
            result = self.info("box.obj", wanted, "x.png")
            self.assertEqual(result.status, WRONG)
            self.assertRegex(result.errors, says)
        self.assertEqual(self.info("nowhere.obj").status, WRONG)


class Init(program.ProgramTest):
    def init(self, *arguments, name="scene.yaml"):
        result = self.program.run("init", *arguments, folder=self.folder)
        self.assertEqual(result.status, DONE, result.errors)
        self.write({name: result.output})
        return result.output

    def succeed(self, *arguments, **how):
        result = self.program.run("run", "scene.yaml", *arguments, folder=self.folder, **how)
        self.assertEqual(result.status, DONE, result.errors)

    def value(self, text, key):
        return float(re.search(rf"\b{key}: ([-+0-9.e]+)", text)[1])

    def test_units(self):
        """The same thing in metres and in millimetres: the same scene, in its own numbers."""
        self.write({"m.obj": boxes(STAND, CLOSE), "mm.obj": boxes(STAND, CLOSE, scale=1000)})
        metres, millimetres = self.init("m.obj"), self.init("mm.obj")
        for key, power in ("cell", 1), ("young", -1), ("density", -3):
            ratio = self.value(millimetres, key) / self.value(metres, key)
            self.assertAlmostEqual(ratio / 1000**power, 1, 6)
        self.assertIn("gravity: [0, -9.81, 0]", metres)
        self.assertIn("gravity: [0, -9810, 0]", millimetres)

    def test_simulated(self):
        """Under a name that YAML would take apart; built on two ranks, as alone."""
        name = 'two "boxes": #1.obj'
        self.write({name: boxes(STAND, CLOSE)})
        text = self.init(name)
        self.assertIn("To keep parts that nearly touch in cells of their own", text)
        coarse = ("-P", "bodies.flesh.cell=0.2")
        self.succeed("--dry-run", *coarse)
        self.succeed("-P", "frames.last=2", *coarse)
        self.assertTrue(os.path.exists(self.path('two "boxes": #1_run/frames.csv')))

    def test_proposed(self):
        """Scenes are built as they are written; what is thin is two cells thick."""
        self.write({"plate.obj": boxes(((0, 0, 0), (2, 0.3, 2)))})
        text = self.init("plate.obj")
        self.assertLessEqual(self.value(text, "cell"), 0.15)
        self.succeed("--dry-run")

    def test_through_itself(self):
        self.write({"through.obj": boxes(STAND, THROUGH)})
        text = self.init("through.obj")
        self.assertIn("The mesh passes through itself", text)
        self.assertIn("self_collision: {enabled: false", text)

    def test_bones(self):
        """Of a character's own skin, whoever moves it; or of a motion, as high as the mesh."""
        rig, numbers = gltf_rig.document()
        self.write({"man.gltf": gltf_rig.text(rig, numbers), "arm.bvh": ARM,
                    "box.obj": boxes(((0, 0, 0), (0.4, 2, 0.4)))})
        self.write({"inside.bvh": ARM.replace("0 0 100", "0 0.9 0").replace("0 0 90", "0 0.8 0")
                    .replace("OFFSET 0 0 10", "OFFSET 0 0.2 0").replace("ROOT root { OFFSET 0 0 0",
                                                                       "ROOT root { OFFSET 0.2 0.05 0.2")})
        for arguments, says in ((("box.obj", "inside.bvh"), INSIDE), (("man.gltf",), r'from: "man\.gltf"\n  # Of'),
                                (("man.gltf", "arm.bvh"), r'motion: {bvh: "arm\.bvh"}'),
                                (("box.obj", "arm.bvh"), r"place: {scale: 0\.01,.*degrees: -90")):
            with self.subTest(arguments):
                text = self.init(*arguments)
                self.assertRegex(text, says)
                self.assertIn("preroll: 12}", text)
                self.assertEqual("place:" in text, arguments[0] == "box.obj" and says != INSIDE)
                self.succeed("--dry-run", "-P", "bodies.flesh.cell=0.1")

    def test_bones_that_lie_flat(self):
        """They have no height, and so are as long as the mesh."""
        self.write({"box.obj": boxes(((0, 0, 0), (0.4, 2, 0.4))),
                    "flat.bvh": re.sub(r"OFFSET 0 0 (\d+)", r"OFFSET \1 0 0", ARM)})
        self.assertRegex(self.init("box.obj", "flat.bvh"), r"place: {scale: 0\.01, translate: \[[-0-9.e, ]+\]")

    def test_refused(self):
        for arguments, says in (((), "which character"), (("nowhere.obj",), "No such file"),
                                (("builtin:nobody",), "nobody"), (("a\nb: c.obj",), "control characters"),
                                (("builtin:cube", "a\x1b.bvh"), "control characters")):
            result = self.program.run("init", *arguments, folder=self.folder)
            self.assertEqual((result.status, result.output), (WRONG, ""))
            self.assertIn(says, result.errors)

    def test_real_characters(self):
        there = [[os.path.abspath(os.path.join(DATA, name)) for name in names]
                 for names in CHARACTERS]
        there = [names for names in there if all(map(os.path.exists, names))]
        if not there or self.sanitized:
            self.skipTest("no real characters here, or sanitizers are slow")
        for names in there:
            with self.subTest(names):
                self.init(*names)
                self.succeed("--dry-run")


if __name__ == "__main__":
    program.main()
