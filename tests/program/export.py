"""`sinew export`: what the files hold, read by small parsers that share nothing with the program,
is what the frames hold; and what cannot be exported says so and leaves no file."""

import os
import re
import shutil
import struct

import program
import small_run
from small_run import FRAMES, LEFT_FACES, LEFT_POINTS
from surface_files import rounded, rounded_points, triples

DONE, WRONG, MACHINE = 0, 1, 2
FORMATS = ("pc2", "mdd", "obj", "ply", "usda")


def unpack(code, content, at):
    """Numbers at a place, and the place behind them."""
    return struct.unpack_from(code, content, at), at + struct.calcsize(code)


def read_cache(content, at, order, samples, n_points):
    frames = []
    for _ in range(samples):
        flat, at = unpack(f"{order}{3 * n_points}f", content, at)
        frames.append(triples(flat))
    assert at == len(content)
    return frames


def read_pc2(content):
    (signature, *header), at = unpack("<12siiffi", content, 0)
    assert signature == b"POINTCACHE2\0", signature
    version, n_points, start, rate, samples = header
    assert version == 1, version
    return start, rate, read_cache(content, at, "<", samples, n_points)


def read_mdd(content):
    (samples, n_points), at = unpack(">ii", content, 0)
    times, at = unpack(f">{samples}f", content, at)
    return list(times), read_cache(content, at, ">", samples, n_points)


def read_obj(content):
    points, faces, groups = [], [], []
    for line in content.decode().splitlines():
        word, *rest = line.split()
        if word == "v":
            points.append(tuple(map(float, rest)))
        elif word == "f":
            faces.append(tuple(int(corner) - 1 for corner in rest))
        elif word == "g":
            groups.append((rest[0], len(faces)))
        else:
            assert word == "#", line
    return points, faces, groups


def read_ply(content):
    header, body = content.split(b"end_header\n", 1)
    lines = [line for line in header.decode().splitlines() if not line.startswith("comment")]
    n_points, n_faces = int(lines[2].split()[2]), int(lines[6].split()[2])
    assert lines == ["ply", "format binary_little_endian 1.0", f"element vertex {n_points}",
                     "property double x", "property double y", "property double z",
                     f"element face {n_faces}", "property list int int vertex_indices",
                     "property int body"], lines
    flat, at = unpack(f"<{3 * n_points}d", body, 0)
    faces, bodies = [], []
    for _ in range(n_faces):
        (count,), at = unpack("<i", body, at)
        face, at = unpack(f"<{count}i", body, at)
        (of_body,), at = unpack("<i", body, at)
        faces.append(face)
        bodies.append(of_body)
    assert at == len(body)
    return triples(flat), faces, bodies


def numbers_in(text):
    return [float(number) for number in re.findall(r"[-+0-9.e]+", text)]


def read_usda(content):
    """The stage's values by name; samples as a map from time to points."""
    text = content.decode()
    assert text.startswith("#usda 1.0\n")
    assert all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}"))
    stage = {"prim": re.search(r'def Mesh "(\w+)"', text)[1],
             "default": re.search(r'defaultPrim = "(\w+)"', text)[1]}
    stage["upAxis"] = re.search(r'upAxis = "(\w)"', text)[1]
    stage["bodies"] = {name: [int(face) for face in faces.split(",")] for name, faces in
                       re.findall(r'def GeomSubset "(\w+)"[^[]*\[\] indices = \[([^]]*)\]', text)}
    for name in ("startTimeCode", "endTimeCode", "timeCodesPerSecond", "metersPerUnit"):
        stage[name] = float(re.search(rf"{name} = (\S+)", text)[1])
    for name in ("faceVertexCounts", "faceVertexIndices"):
        stage[name] = [int(n) for n in re.search(rf"{name} = \[([^]]*)\]", text)[1].split(",")]
    for name in ("points", "extent"):
        samples = re.search(rf"{name}\.timeSamples = {{([^}}]*)}}", text)[1]
        stage[name] = {int(time): triples(numbers_in(values))
                       for time, values in re.findall(r"(\d+): \[([^]]*)\]", samples)}
    return stage


class Export(small_run.SmallRunTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(self.run_folder, self.folder, dirs_exist_ok=True)

    def export(self, *arguments, **how):
        return self.program.run("export", *arguments, folder=self.folder, **how)

    def exported(self, path, *arguments, **how):
        result = self.export("run", *arguments, **how)
        self.assertEqual(result.status, DONE, result.errors)
        return self.content(path)

    def content(self, path):
        with open(self.path(path), "rb") as file:
            return file.read()

    def check_refused(self, status, says, *arguments):
        """One line, and nothing is changed."""
        before = program.listing(self.folder)
        result = self.export(*arguments)
        self.assertEqual(result.status, status, result.errors)
        lines = program.own_lines(result.errors)
        self.assertEqual(len(lines), 1, result.errors)
        self.assertRegex(lines[0], f" error: .*{says}")
        self.assertEqual(program.listing(self.folder), before)

    def test_pc2(self):
        expected = [rounded_points(points) for points in self.points]
        content = self.exported("run/surface.pc2", "--to", "pc2", ranks=2)
        self.assertEqual(read_pc2(content), (3, 2, expected))
        content = self.exported("run/right.pc2", "--to", "pc2", "--body", "right")
        self.assertEqual(read_pc2(content)[2], [points[LEFT_POINTS:] for points in expected])

    def test_mdd(self):
        times = [rounded((frame - FRAMES[0]) / 30) for frame in FRAMES]
        content = self.exported("left.mdd", "--to", "mdd", "--body", "left", "--output",
                                "left.mdd")
        self.assertEqual(read_mdd(content),
                         (times, [rounded_points(points[:LEFT_POINTS]) for points in self.points]))

    def test_obj(self):
        self.exported("run/surface_0003.obj", "--to", "obj")
        for frame, points in zip(FRAMES, self.points):
            self.assertEqual(read_obj(self.content(f"run/surface_{frame:04}.obj")),
                             (points, self.faces, [("left", 0), ("right", LEFT_FACES)]))
        content = self.exported("right-009.obj", "--to", "obj", "--body", "right", "--output",
                                "right-###.obj")
        self.assertEqual(read_obj(content), (self.points[-1][LEFT_POINTS:], self.right_faces(),
                                             [("right", 0)]))

    def right_faces(self):
        return [tuple(corner - LEFT_POINTS for corner in face) for face in self.faces[LEFT_FACES:]]

    def test_ply(self):
        self.exported("run/right_0003.ply", "--to", "ply", "--body", "right")
        for frame, points in zip(FRAMES, self.points):
            self.assertEqual(read_ply(self.content(f"run/right_{frame:04}.ply")),
                             (points[LEFT_POINTS:], self.right_faces(),
                              len(self.right_faces()) * [1]))
        whole = self.exported("all_9.ply", "--to", "ply", "--output", "all_#.ply")
        self.assertIn(b"\ncomment body 0 is left\ncomment body 1 is right\n", whole)
        self.assertEqual(read_ply(whole)[2], LEFT_FACES * [0] + len(self.right_faces()) * [1])

    def test_meshes_read_back(self):
        """The program's own readers take what it writes."""
        for form in ("ply",) if self.sanitized else ("obj", "ply"):
            self.exported(f"left_3.{form}", "--to", form, "--body", "left", "--output",
                          f"left_#.{form}")
            result = self.info("scene.yaml", "-P", f"bodies.left.mesh=left_9.{form}")
            self.assertEqual(result.status, DONE, result.errors)

    def test_usda(self):
        stage = read_usda(self.exported("run/surface.usda", "--to", "usda"))
        self.assertEqual((stage["prim"], stage["default"]), ("surface", "surface"))
        self.assertEqual((stage["startTimeCode"], stage["endTimeCode"]), (3, 9))
        self.assertEqual(stage["timeCodesPerSecond"], 30)
        self.assertEqual(stage["faceVertexCounts"], len(self.faces) * [3])
        self.assertEqual(triples(stage["faceVertexIndices"]), self.faces)
        self.assertEqual(stage["upAxis"], "Y")  # of the default gravity
        self.assertEqual(stage["metersPerUnit"], 1)
        self.assertEqual(stage["bodies"], {"left": list(range(LEFT_FACES)),
                                           "right": list(range(LEFT_FACES, len(self.faces)))})
        for frame, points in zip(FRAMES, map(rounded_points, self.points)):
            self.assertEqual(rounded_points(stage["points"][frame]), points)
            ends = [tuple(map(end, zip(*points))) for end in (min, max)]
            self.assertEqual(rounded_points(stage["extent"][frame]), ends)

    def test_units(self):
        """What gravity says of them, and what is said of them."""
        scene = self.path("run/scene.yaml")
        with open(scene) as file:
            text = file.read()
        with open(scene, "w") as file:
            file.write(re.sub(r"gravity: .*", "gravity: [0, -981, 0]", text))
        stage = read_usda(self.exported("cm.usda", "--to", "usda", "--output", "cm.usda"))
        self.assertEqual((stage["upAxis"], stage["metersPerUnit"]), ("Y", 0.01))
        stage = read_usda(self.exported("in.usda", "--to", "usda", "--output", "in.usda", "--up",
                                        "z", "--meters-per-unit", "0.0254"))
        self.assertEqual((stage["upAxis"], stage["metersPerUnit"]), ("Z", 0.0254))

    def test_range_of_frames(self):
        expected = [rounded_points(points) for points in self.points]
        for frames, first, kept in (("4:7", 5, slice(1, 3)), (":5", 3, slice(0, 2)),
                                    ("9:", 9, slice(3, 4)), ("5-7", 5, slice(1, 3)),
                                    ("7", 7, slice(2, 3)), ("3,7", 3, slice(0, 4, 2))):
            content = self.exported("part.pc2", "--to", "pc2", "--frames", frames, "--output",
                                    "part.pc2")
            start, _, found = read_pc2(content)
            self.assertEqual((start, found), (first, expected[kept]))
        self.check_refused(WRONG, "none of its frames, 3 to 9, is among", "run", "--to", "pc2",
                           "--frames", "10:12")
        for wrong in ("7,", "7:5", "a:b", "1:2:3", ":", "7-"):
            self.check_refused(WRONG, "--frames needs frames such as", "run", "--to", "pc2",
                               "--frames", wrong)

    def test_bad_arguments(self):
        self.check_refused(WRONG, "which run directory")
        self.check_refused(WRONG, "which format", "run")
        self.check_refused(WRONG, "unknown format 'abc'", "run", "--to", "abc")
        self.check_refused(WRONG, "--to needs a value", "run", "--to")
        self.check_refused(WRONG, "unknown option '--from'", "run", "--from", "abc")
        self.check_refused(WRONG, "one run directory", "run", "walk", "--to", "pc2")
        self.check_refused(WRONG, "nowhere: .*No such file", "nowhere", "--to", "pc2")
        self.check_refused(WRONG, "needs a # for each digit", "run", "--to", "obj", "--output",
                           "one.obj")
        for form in FORMATS[:1] if self.sanitized else FORMATS:
            self.check_refused(WRONG, "run: no body is called 'middle'; there is left, right",
                               "run", "--to", form, "--body", "middle")
            self.check_refused(MACHINE, "nowhere/.*: .*No such file", "run", "--to", form,
                               "--output", f"nowhere/#.{form}")

    def test_frames_that_are_not_there(self):
        os.remove(self.path("run/surface_0007.vtkhdf"))
        self.check_refused(WRONG, "frame 7 is missing", "run", "--to", "pc2")
        os.mkdir(self.path("empty"))
        self.check_refused(WRONG, "empty: has no surface frames", "empty", "--to", "usda")

    def test_broken_frames(self):
        """Not even one byte less is taken for a frame."""
        path = self.path("run/surface_0005.vtkhdf")
        with open(path, "rb") as file:
            whole = file.read()
        for content in (b"", b"nonsense", whole[:len(whole) // 2], whole[:-1]):
            with open(path, "wb") as file:
                file.write(content)
            self.check_refused(WRONG, r"surface_0005\.vtkhdf: (not a whole surface frame|the file is empty)", "run",
                               "--to", "pc2", "--output", "cache.pc2")
        with open(path, "wb") as file:  # a line of its own in a text
            file.write(whole.replace(b"left\0right", b"l\nv 1right"))
        self.check_refused(WRONG, r"surface_0005\.vtkhdf: not a whole surface frame: its bodies", "run",
                           "--to", "usda", "--output", "stage.usda")
        shutil.copy(self.path("run/surface_0003.vtkhdf"), path)
        self.check_refused(WRONG, r"surface_0005\.vtkhdf: holds frame 3", "run", "--to", "usda",
                           "--output", "stage.usda")

    def test_full_disk(self):
        self.mount_small_disk("4k")
        for form in ("ply", "usda") if self.sanitized else ("pc2", "mdd", "ply", "usda"):
            result = self.export("run", "--to", form, "--output", f"disk/#.{form}")
            self.assertEqual(result.status, MACHINE, result.errors)
            self.assertRegex(result.errors, "disk/.*No space left on device")
            self.assertNotIn(".part", "".join(os.listdir(self.path("disk"))))


if __name__ == "__main__":
    program.need("h5dump")
    program.main()
