"""`sinew render`: a run's frames become pictures, the same bytes on any ranks and threads; what is
asked for wrongly is refused with one message, and leaves nothing."""

import os
import shutil
import struct
import zlib

import program

DONE, WRONG, MACHINE = 0, 1, 2
SCENE = """\
name: small
frames: {first: 3, last: 6}
bodies:
  - {name: ball, mesh: "builtin:sphere,radius=0.5,detail=8", cell: 0.25}
  - {name: beam, mesh: "builtin:beam,length=2,width=0.2,height=0.2", cell: 0.2}
bones:
  - {name: core, body: ball, mesh: "builtin:sphere,radius=0.2,detail=4", stiffness: 1.0e4,
     motion: {keys: [{frame: 3}, {frame: 6, translate: [0, 0.1, 0]}]}}
pins:
  - {name: hold, body: beam, region: {box: {min: [0.5, -1, -1], max: [3, 1, 1]}}}
colliders:
  - {name: floor, shape: {plane: {point: [0, -1, 0], normal: [0, 1, 0]}}}
  - {name: pole, shape: {capsule: {a: [-1, -1, -1], b: [-1, 1, -1], radius: 0.1}}}
solver: {newton: {max: 20, tolerance: 1.0e-2}, linear: {max: 20, tolerance: 1.0e-3}}
render: {width: 120, height: 80, samples: 4}
"""


def decode(content):
    """Width, height and the rows of an RGBA picture; of the filters only what is needed."""
    assert content.startswith(b"\x89PNG\r\n\x1a\n")
    at, data, header = 8, b"", None
    while at < len(content):
        length, kind = struct.unpack(">I4s", content[at:at + 8])
        body = content[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", content[at + 8 + length:][:4])[0]
        header = struct.unpack(">IIBB", body[:10]) if kind == b"IHDR" else header
        data += body if kind == b"IDAT" else b""
        at += length + 12
    width, height, depth, colour = header
    assert (depth, colour) == (8, 6)
    raw = zlib.decompress(data)
    stride = 4 * width
    assert len(raw) == height * (stride + 1)
    rows, above = [], bytearray(stride)
    for y in range(height):
        method, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:][:stride])
        for i in range(stride):
            left = line[i - 4] if i >= 4 else 0
            corner = above[i - 4] if i >= 4 else 0
            guess = left + above[i] - corner
            nearest = min((left, above[i], corner), key=lambda v: abs(guess - v))
            line[i] = (line[i] + (0, left, above[i], (left + above[i]) // 2, nearest)[method]) % 256
        rows.append(line)
        above = line
    return width, height, rows


class Render(program.ProgramTest):
    @classmethod
    def setUpClass(cls):
        """One run for all tests; each gets a copy."""
        cls.keep = program.tempfile.TemporaryDirectory(prefix="sinew-test-")
        program.write_files(cls.keep.name, {"scene.yaml": SCENE})
        result = cls.program.run("run", "scene.yaml", folder=cls.keep.name)
        assert result.status == DONE, result.errors

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def setUp(self):
        super().setUp()
        shutil.copytree(os.path.join(self.keep.name, "run"), self.path("run"))

    def render(self, *arguments, **how):
        return self.program.run("render", *arguments, folder=self.folder, **how)

    def pictures(self, folder):
        found = {}
        for name in sorted(os.listdir(self.path(folder))):
            with open(os.path.join(self.path(folder), name), "rb") as file:
                found[name] = file.read()
        return found

    def refused(self, status, says, *arguments):
        before = program.listing(self.folder)
        result = self.render(*arguments, ranks=self.ranks)
        lines = program.own_lines(result.errors)
        self.assertEqual((result.status, len(lines), result.output), (status, 1, ""), result.errors)
        self.assertRegex(lines[0], says)
        self.assertEqual(program.listing(self.folder), before)

    def test_same_pictures(self):
        alone = self.render("run", threads=2)
        self.assertEqual(alone.status, DONE, alone.errors)
        pictures = self.pictures("run/render")
        self.assertEqual(list(pictures), [f"render_{frame:04d}.png" for frame in range(3, 7)])
        if not self.sanitized:
            shared = self.render("run", "--output", "other", ranks=3)
            self.assertEqual(shared.status, DONE, shared.errors)
            self.assertTrue(self.pictures("other") == pictures, "other pictures on three ranks")
        width, height, rows = decode(pictures["render_0003.png"])
        self.assertEqual((width, height), (120, 80))
        colours = {bytes(row[4 * x:4 * x + 3]) for row in rows for x in range(width)}
        self.assertGreater(len(colours), 200)
        self.assertTrue(any(c[0] > c[2] + 30 for c in colours), "no flesh")
        self.assertTrue(all(row[4 * x + 3] == 255 for row in rows for x in range(width)))
        self.assertNotEqual(pictures["render_0003.png"], pictures["render_0006.png"])

    def test_options(self):
        if self.sanitized:
            self.skipTest("each start of the program is slow then")
        how = ["--size", "64x48", "--samples", "1", "--frames", "3,5-6"]
        for options in [[], ["--camera", "eye=9,9,9", "--camera", "target=0,0,0"],
                        ["-P", "render.ground=none"], ["-P", "render.ground_height=-3"]]:
            result = self.render("run", *how, "--output", f"{len(options)}{options[-1:]}", *options)
            self.assertEqual(result.status, DONE, result.errors)
        seen = set()
        for folder in os.listdir(self.folder):
            if folder != "run":
                pictures = self.pictures(folder)
                self.assertEqual([int(name[7:11]) for name in pictures], [3, 5, 6])
                self.assertEqual(decode(pictures["render_0005.png"])[:2], (64, 48))
                seen.add(pictures["render_0005.png"])
        self.assertEqual(len(seen), 4)

    def test_bones(self):
        """They change pixels of the flesh only, and other ones when the bone has moved."""
        how = ["--frames", "3,6", "--size", "60x40"]
        for options in [[], ["--bones"]]:
            result = self.render("run", *how, "--output", f"with{options[-1:]}", *options)
            self.assertEqual(result.status, DONE, result.errors)
        changed = []
        for name, picture in self.pictures("with[]").items():
            width, height, without = decode(picture)
            rows = decode(self.pictures("with['--bones']")[name])[2]
            pixels = [(x, y) for y in range(height) for x in range(width)
                      if rows[y][4 * x:4 * x + 4] != without[y][4 * x:4 * x + 4]]
            for x, y in pixels:
                self.assertGreater(without[y][4 * x], without[y][4 * x + 2] + 20, "no flesh there")
            changed.append(pixels)
        self.assertGreater(len(changed[0]), 10)
        self.assertLess(min(y for _, y in changed[1]), min(y for _, y in changed[0]))

    def test_bad_arguments(self):
        self.refused(WRONG, "which run directory")
        self.refused(WRONG, "camera.eye=.*: expected a list of 3", "run", "--camera", "eye=1,2")
        self.refused(WRONG, "frame 7 is not in the run", "run", "--frames", "5-9")
        if self.sanitized:
            return
        self.refused(WRONG, "one run directory", "run", "run")
        self.refused(WRONG, "unknown option '--nonsense'", "run", "--nonsense")
        self.refused(WRONG, "--size needs a value", "run", "--size")
        self.refused(WRONG, "--size needs a width", "run", "--size", "big")
        self.refused(WRONG, "render.width=2: expected an integer of at least 16", "run", "--size",
                     "2x100")
        self.refused(WRONG, "render.samples=0: expected", "run", "--samples", "0")
        self.refused(WRONG, "--camera needs a key", "run", "--camera", "eye")
        self.refused(WRONG, "camera.ear.*unknown key", "run", "--camera", "ear=1,2,3")
        self.refused(WRONG, "--frames needs frames", "run", "--frames", "6-3")
        self.refused(WRONG, "--frames needs frames", "run", "--frames", "3,,4")

    def test_bad_places(self):
        os.mkdir(self.path("empty"))
        self.refused(WRONG, "nowhere: not a run directory", "nowhere")
        self.refused(WRONG, "empty: not a run directory", "empty")
        shutil.copy(self.path("run/scene.yaml"), self.path("empty"))
        self.refused(WRONG, "empty: there are no frames", "empty")
        self.refused(MACHINE, "nowhere/pictures: cannot be made", "run", "--output",
                     "nowhere/pictures")
        self.refused(MACHINE, "cannot write the picture: Not a directory", "run", "--output",
                     "run/scene.yaml")

    def test_broken_frame(self):
        name = [n for n in os.listdir(self.path("run")) if n.startswith("surface_0004")][0]
        with open(self.path(f"run/{name}"), "wb") as file:
            file.write(b"nothing")
        self.refused(WRONG, "surface_0004", "run")


if __name__ == "__main__":
    program.main()
