"""Numbers that are allowed but make no sense: the run ends with status 4 and says what is wrong, and no
file has a number that is not finite, not even one that single precision could not hold."""

import os
import re
import shutil

import program
import surface_files

INACCURATE = 4
SCENE = """\
name: nonsense
frames: {first: 1, last: 3}
gravity: [0, %s, 0]
bodies:
  - {name: block, mesh: "builtin:cube", cell: 0.25, material: {young: %s}}
pins:
  - {name: base, body: block, region: {box: {min: [-9, -9, -9], max: [9, -0.4, 9]}}}
output: {octree: true, fields: [displacement, velocity, det_f, stress, material]}
"""
NOT_FINITE = re.compile(r"(?<![a-z_])-?(nan|inf)(?![a-z_])", re.IGNORECASE)


class Nonsense(program.ProgramTest):
    def check_files(self):
        with open(self.path("run/frames.csv")) as file:
            self.assertNotRegex(file.read(), NOT_FINITE)
        for name in sorted(os.listdir(self.path("run"))):
            if name.endswith(".vtkhdf") and shutil.which("h5dump"):
                self.assertNotRegex(surface_files.dump(self.path(f"run/{name}")), NOT_FINITE, name)

    def test_gravity(self):
        """Flesh is flung away, farther than its cubes are in single precision."""
        for gravity, young in [("-1.0e30", "1.0e5"), ("-1.0e30", "1.0e25")]:
            with self.subTest(gravity=gravity, young=young):
                self.write({"scene.yaml": SCENE % (gravity, young)})
                result = self.program.run("run", "scene.yaml", "--overwrite", folder=self.folder)
                self.assertEqual(result.status, INACCURATE, result.errors)
                self.assertRegex(result.errors, "error: .*(residual of 0.\\d*[1-9]|not finite|no step)")
                self.check_files()


if __name__ == "__main__":
    program.main()
