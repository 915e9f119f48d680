"""`sinew render`: a run's frames become pictures, the same bytes on any ranks and threads; what is
asked for wrongly is refused with one message, and leaves nothing."""

import json
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
output: {octree: true, fields: [displacement, det_f]}
"""
# A ball that rests, and another one under it that it will not reach.
ON_A_BALL = """\
name: above
frames: {first: 1, last: 1}
bodies:
  - {name: ball, mesh: "builtin:sphere,radius=0.5,detail=8", cell: 0.25}
colliders:
  - {name: under, shape: {sphere: {center: [0, -2, 0], radius: 0.6}}}
  - {name: wall, shape: {box: {min: [-50, -2.6, -60], max: [50, 40, -50]}}}
render: {width: 120, height: 80, samples: 4}
"""
# In place of ffmpeg: keeps what it is asked for and given, and makes a file.
FFMPEG = """\
#!/usr/bin/env python3
import json, sys
pictures = sys.stdin.buffer.read()
open(sys.argv[-1], "wb").write(pictures)
json.dump(sys.argv, open("asked.json", "w"))
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

    def colours_of_flesh(self, folder, name):
        """Pixels that are clearly coloured: neither paper nor collider."""
        width, height, rows = decode(self.pictures(folder)[name])
        pixels = [tuple(row[4 * x:4 * x + 3]) for row in rows for x in range(width)]
        return [p for p in pixels if max(p) - min(p) > 30]

    def test_field(self):
        """Values beyond the range's ends have its first and last colours."""
        how = ["run", "--frames", "3", "--samples", "1"]
        for folder, ends in (("low", "5,6"), ("high", "-2,-1")):
            result = self.render(*how, "--field", "displacement", "--range", ends, "--output", folder)
            self.assertEqual(result.status, DONE, result.errors)
        low = self.colours_of_flesh("low", "render_0003.png")
        high = self.colours_of_flesh("high", "render_0003.png")
        self.assertGreater(len(low), 300)
        self.assertGreater(sum(p[2] > p[0] for p in low) / len(low), 0.9, "blue")
        self.assertGreater(sum(p[2] < p[0] for p in high) / len(high), 0.9, "yellow")
        self.refused(WRONG, "no field 'fraction'; there is .*displacement", *how, "--field", "fraction")
        if self.sanitized:
            return
        for folder, ranks in (("three", 3), ("one", None)):
            result = self.render("run", "--samples", "1", "--field", "displacement", "--output",
                                 folder, ranks=ranks)
            self.assertEqual(result.status, DONE, result.errors)
        self.assertTrue(self.pictures("three") == self.pictures("one"))

    def test_field_of_cells(self):
        """Surfaces have not got it, so cells are seen: all of the one colour that all values have."""
        result = self.render("run", "--frames", "3", "--samples", "1", "--field", "body", "--range",
                             "-2,-1", "--output", "cells")
        self.assertEqual(result.status, DONE, result.errors)
        flesh = self.colours_of_flesh("cells", "render_0003.png")
        self.assertGreater(len(flesh), 300)
        self.assertGreater(sum(p[2] < p[0] for p in flesh) / len(flesh), 0.9, "yellow")

    def test_sheet(self):
        """Each frame's picture is in it, one beside the other."""
        how = ["run", "--size", "64x48", "--samples", "1", "--sheet"]
        sheets = []
        for ranks in (None, 3) if not self.sanitized else (None,):
            self.assertEqual(self.render(*how, ranks=ranks).status, DONE)
            pictures = self.pictures("run/render")
            sheets.append(pictures.pop("sheet.png"))
        self.assertEqual(sheets[0], sheets[-1])
        width, height, rows = decode(sheets[0])
        self.assertEqual((width, height), (2 * 68 + 4, 2 * 52 + 4))
        for i, picture in enumerate(pictures.values()):
            left, top = 4 + i % 2 * 68, 4 + i // 2 * 52
            small = decode(picture)[2]
            for y in range(24, 48):  # below the number
                self.assertEqual(rows[top + y][4 * left:4 * (left + 64)], small[y])

    def test_movie(self):
        """All pictures in their order go to ffmpeg; without it there is a message, and nothing."""
        folder = self.path("programs")
        os.mkdir(folder)
        how = ["run", "--size", "64x48", "--samples", "1", "--frames", "4-6", "--movie"]
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        if not shutil.which("ffmpeg"):
            self.refused(MACHINE, "--movie needs ffmpeg", *how)
        self.write({"programs/ffmpeg": FFMPEG})
        os.chmod(folder + "/ffmpeg", 0o755)
        os.environ["PATH"] = folder + ":" + path
        result = self.render(*how)
        self.assertEqual(result.status, DONE, result.errors)
        pictures = self.pictures("run/render")
        movie = pictures.pop("movie.mp4")
        self.assertEqual(movie, b"".join(pictures.values()))
        with open(self.path("asked.json")) as file:
            asked = json.load(file)
        self.assertEqual(asked[asked.index("-framerate") + 1], "24")
        self.write({"programs/ffmpeg": "#!/bin/sh\nexit 3\n"})
        result = self.render(*how)
        self.assertEqual(result.status, MACHINE)
        self.assertIn("ffmpeg could not make the movie", result.errors)
        self.assertEqual(self.pictures("run/render")["movie.mp4"], movie)

    def test_collider_on_the_ground(self):
        """It is seen, whole, and not buried; a wall that is far larger does not count."""
        self.write({"scene.yaml": ON_A_BALL})
        self.assertEqual(self.program.run("run", "scene.yaml", "-P", "output.dir=above",
                                          folder=self.folder).status, DONE)

        def is_grey(pixel):
            return max(pixel) - min(pixel) < 16 and max(pixel) < 0xb8

        result = self.render("above", "--output", "at", "--camera", "target=0,-2,0", "--camera",
                             "eye=0,-1.9,5")
        self.assertEqual(result.status, DONE, result.errors)
        width, height, rows = decode(self.pictures("at")["render_0001.png"])
        middle = rows[height // 2][4 * (width // 2):][:3]
        self.assertTrue(is_grey(middle), list(middle))
        result = self.render("above", "--output", "all", "-P", "render.ground=none")
        self.assertEqual(result.status, DONE, result.errors)
        width, height, rows = decode(self.pictures("all")["render_0001.png"])
        seen = [(x, y) for y in range(height) for x in range(width)
                if is_grey(rows[y][4 * x:4 * x + 3])]
        self.assertGreater(len(seen), 100)
        self.assertLess(max(y for _, y in seen), height - 1)

    def test_bad_arguments(self):
        self.refused(WRONG, "which run directory")
        self.refused(WRONG, "--range needs a lower", "run", "--range", "3,1")
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
