"""What readers of USD that are not ours make of `sinew export --to usda`: one mesh, its faces, and
a sample of points and extent for each frame. NODE_PATH says where npm's packages are."""

import json
import os
import subprocess

import program
import small_run
from small_run import FRAMES
from surface_files import rounded_points, triples

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "helpers", "inside_node.mjs")
NEEDED = ("three/examples/jsm/loaders/usd/USDAParser.js", "tinyusdz/tinyusdz.wasm")


def packages():
    """The folder that has both readers."""
    for folder in os.environ.get("NODE_PATH", "").split(os.pathsep):
        if all(os.path.isfile(os.path.join(folder, file)) for file in NEEDED):
            return folder
    return None


class StageInNode(small_run.SmallRunTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sinew("export", "run", "--to", "usda")
        done = subprocess.run(
            ["node", SCRIPT, packages(), os.path.join(cls.run_folder, "run/surface.usda")],
            capture_output=True, text=True, timeout=program.TIMEOUT)
        assert done.returncode == 0, done.stderr
        cls.made = json.loads(done.stdout)
        cls.expected = [rounded_points(points) for points in cls.points]
        cls.corners = [corner for face in cls.faces for corner in face]

    def check_samples(self, samples, expected):
        self.assertEqual(samples["times"], FRAMES)
        self.assertEqual([rounded_points(triples(values)) for values in samples["values"]],
                         expected)

    def check_specs(self, specs):
        def value(of, name):
            return specs[of]["fields"][name]

        self.assertEqual(value("/", "primChildren"), ["surface"])
        self.assertEqual(value("/", "defaultPrim"), "surface")
        self.assertEqual(value("/", "timeCodesPerSecond"), small_run.FPS)
        self.assertEqual(value("/surface", "typeName"), "Mesh")
        self.assertEqual(value("/surface.subdivisionScheme", "default"), "none")
        self.assertEqual(value("/surface.faceVertexCounts", "default"), len(self.faces) * [3])
        self.assertEqual(value("/surface.faceVertexIndices", "default"), self.corners)
        self.assertEqual(value("/surface.points", "typeName"), "point3f[]")
        self.check_samples(value("/surface.points", "timeSamples"), self.expected)
        self.check_samples(value("/surface.extent", "timeSamples"), [
            [tuple(map(end, zip(*points))) for end in (min, max)] for points in self.expected])

    def test_three(self):
        self.check_specs(self.made["three"])

    def test_tinyusdz(self):
        self.check_specs(self.made["tinyusdz"]["retold"])
        for name, frame in (("startTimeCode", FRAMES[0]), ("endTimeCode", FRAMES[-1])):
            self.assertRegex(self.made["tinyusdz"]["head"], f"(?m){name} = {frame}$")

    def test_drawn(self):
        mesh, = self.made["tinyusdz"]["drawn"]
        self.assertEqual(mesh["absPath"], "/surface")
        self.assertEqual(mesh["faceVertexCounts"], len(self.faces) * [3])
        self.assertEqual(mesh["faceVertexIndices"], self.corners)
        self.assertEqual(triples(mesh["points"]), self.expected[0])


if __name__ == "__main__":
    program.need("node", "h5dump")
    if not packages():
        program.skip("no folder of NODE_PATH has npm's packages three and tinyusdz")
    program.main()
