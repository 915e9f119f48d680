"""Characters that nobody here made, from their files to frames: the fox looks around on its own bones, the
human walks and dances on those of a skeleton that has only its joints, and bends a finger and a leg in cells that are wider than what is between it
and the next; the cow and the armadillo fall on a floor. Cells are coarse and frames few: what counts
is that flesh goes with the bones, that nothing turns inside out or sinks in, and that the frames have
the vertices of the file. Skipped without the data: SINEW_DATA, or shared/data beside the project."""

import csv
import os
import sys
import unittest

import program
import surface_files
from bvh import Bvh, dot, length, minus, plus, unit

DATA = os.environ.get("SINEW_DATA") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../../shared/data")
DONE, SKIPPED = 0, 77
LONG = 280  # seconds, on a machine that has other things to do as well

MOST_PENETRATION = 0.5   # of a finest cell
MOST_VOLUME_CHANGE = 0.04

FOX = """\
frames: {{first: 1, last: 2, fps: 24, preroll: 12}}
bodies: [{{name: fox, mesh: {fox}, place: {{scale: 0.01}}, cell: 0.03}}]
bones: {{from: {fox}}}
"""

# Of decimetres: his pose is in the file of the bones.
SCALE = 0.1
HUMAN = """\
frames: {{first: 1, last: 2, fps: 24, preroll: 16}}
bodies: [{{name: flesh, mesh: {mesh}, place: {{scale: 0.1}}, cell: 0.05, material: {{young: 3e4, damping: 0.01}}}}]
bones: {{from: {bones}, motion: {{bvh: {motion}, {options}}}, retarget: {{{pairs}}}}}
"""
BONES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../jobs/scenes/human.bvh")
WALK = {"LowerBack": "Spine1", "Spine1": "Spine3", "Neck1": "Neck"}
WALK.update({side + here: f"{there}_{side[0]}" for side in ("Left", "Right") for here, there in (
    ("Shoulder", "Clavicle"), ("Arm", "UpArm"), ("ForeArm", "LoArm"), ("Hand", "Hand"),
    ("UpLeg", "UpLeg"), ("Leg", "LoLeg"), ("Foot", "Foot"), ("ToeBase", "Toe"))})
LIMBS = [(side + a, side + b) for side in ("Left", "Right") for a, b in (
    ("Arm", "ForeArm"), ("ForeArm", "Hand"), ("UpLeg", "Leg"), ("Leg", "Foot"))]
LEAST_COSINE = 0.9  # flesh around an elbow is not a point

DROP = """\
frames: {{first: 1, last: {last}, fps: 24}}
bodies:
  - name: flesh
    mesh: {mesh}
    place: {{scale: {scale}, translate: [0, {height}, 0]}}
    cell: {cell}
    material: {{young: 3e5, poisson: 0.45, density: 1000, damping: 0.005}}
colliders:
  - {{name: floor, shape: {{plane: {{normal: [0, 1, 0]}}}}, friction: 0.5}}
self_collision: {{enabled: {self_collision}, friction: 0.3}}
"""

MOST_FOLLOWED = 0.01  # by what is next to a part, of the part's own way
LEAST_WELDED = 0.4    # what fingers that are welded follow by, at the least

# In the file's own units, decimetres: cells as wide as a finger is thick, and held up to its knuckles.
FINGERS = """\
frames: {{first: 1, last: 2, fps: 24}}
gravity: [0, 0, 0]
bodies:
  - {{name: flesh, mesh: {mesh}, cell: 0.2, close_parts: {close_parts}, material: {{young: 1.0e5, poisson: 0.3}}}}
pins:
  - {{name: body, body: flesh, region: {{box: {{min: [-9, -9, -9], max: [4.2, 9, 9]}}}}}}
  - {{name: palm, body: flesh, region: {{sphere: {{center: [4.4, 2.3, 2.1], radius: 0.95}}}}}}
  - name: tip
    body: flesh
    region: {{sphere: {{center: [4.776, 1.40, 2.99], radius: 0.2}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 2, translate: [0.2, 0.2, 0]}}]}}
solver: {{mode: quasistatic, newton: {{max: 40, tolerance: 1.0e-4}}}}
"""
INDEX, MIDDLE, RING = (4.518, 1.614, 3.209), (4.743, 1.343, 3.028), (4.940, 1.216, 2.703)

LEGS = """\
frames: {{first: 1, last: 4, fps: 24}}
gravity: [0, 0, 0]
bodies:
  - {{name: flesh, mesh: {mesh}, cell: 0.8, close_parts: {close_parts}, material: {{young: 1.0e5, poisson: 0.3}}}}
pins:
  - {{name: torso, body: flesh, region: {{box: {{min: [-9, -0.5, -9], max: [9, 9, 9]}}}}}}
  - name: leg
    body: flesh
    region: {{box: {{min: [0.2, -9, -9], max: [9, -2, 9]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 4, rotate: {{axis: [1, 0, 0], degrees: -50, about: [0.9, 0.3, 0]}}}}]}}
solver: {{mode: quasistatic, newton: {{max: 40, tolerance: 1.0e-4}}}}
"""
BENT_FOOT, OTHER_FOOT = (1.7, -8, 0.5), (-1.7, -8, 0.5)


def read_obj(path):
    """Vertices, and faces cut into triangles."""
    vertices, triangles = [], []
    with open(path) as file:
        for line in file:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
                triangles += [[corners[0], *corners[i:i + 2]] for i in range(1, len(corners) - 1)]
    return vertices, triangles


def needs(*names):
    return unittest.skipUnless(all(os.path.exists(os.path.join(DATA, name)) for name in names),
                               f"no {' and '.join(names)} in {DATA}")


class Characters(program.ProgramTest):
    def frames(self, usual, few):
        return few if self.sanitized else usual

    def run_scene(self, scene, cell, last):
        """The rows of frames.csv, after the checks that all shots have to pass."""
        ended = self.program.run("run", scene, folder=self.folder, timeout=LONG)
        self.assertEqual(ended.status, DONE, ended.errors)
        with open(self.path("run/frames.csv")) as file:
            rows = [{key: float(value) for key, value in row.items() if key != "digest"}
                    for row in csv.DictReader(file)]
        self.assertEqual([row["frame"] for row in rows], list(range(1, last + 1)))
        for row in rows:
            self.assertEqual(row["inverted"], 0, row)
            self.assertLessEqual(row["max_penetration"], MOST_PENETRATION * cell, row)
            self.assertLess(abs(row["volume"] / rows[0]["volume"] - 1), MOST_VOLUME_CHANGE, row)
        return rows

    def surface(self, frame):
        return surface_files.points(surface_files.frame_path(self.path("run"), frame))

    def check_first_frame(self, vertices, scale, translate):
        """It has the file's vertices, in the file's order, where they were put."""
        points = self.surface(1)
        self.assertEqual(len(points), len(vertices))
        worst = max(length(minus(point, plus(translate, vertex, scale)))
                    for point, vertex in zip(points, vertices))
        self.assertLess(worst, 1e-9)

    # On the bones of a skeleton.

    def check_on_bones(self, scene, cell, last):
        """All flesh has come with its bones before the first frame, and stays with them."""
        ended = self.program.run("run", scene, folder=self.folder, timeout=LONG)
        self.assertEqual(ended.status, DONE, ended.errors)
        self.assertNotIn("off their flesh", ended.errors)
        with open(self.path("run/frames.csv")) as file:
            rows = list(csv.DictReader(file))
        self.assertEqual([int(row["frame"]) for row in rows], list(range(1, last + 1)))
        for row in rows:
            self.assertEqual(row["inverted"], "0", row)
            self.assertLess(float(row["bone_error"]), cell, row)

    @needs("fox/Fox.glb")
    def test_fox_looks_around(self):
        fox = os.path.abspath(os.path.join(DATA, "fox/Fox.glb"))
        self.write({"fox.yaml": FOX.format(fox=fox)})
        self.check_on_bones("fox.yaml", 0.03, 2)

    def check_human(self, motion, options, names, up, first):
        """His limbs point where those of the file do: seen from flesh around both of their ends."""
        path = os.path.abspath(os.path.join(DATA, motion))
        body = os.path.abspath(os.path.join(DATA, "human/body.obj"))
        pairs = ", ".join(f"{here}: {there}" for here, there in names.items())
        self.write({"human.yaml": HUMAN.format(mesh=body, bones=BONES, motion=path,
                                               options=options, pairs=pairs)})
        self.check_on_bones("human.yaml", 0.05, 2)
        pose, rest = Bvh(path).pose(first), Bvh(BONES).pose(None)
        vertices, points = read_obj(body)[0], self.surface(1)
        for ends in LIMBS:
            here = minus(*(self.moved(vertices, points, rest[end][1]) for end in ends))
            there = minus(*(up(pose[names.get(end, end)][1]) for end in ends))
            cosine = dot(unit(here), unit(there))
            self.assertGreater(cosine, LEAST_COSINE, f"{ends}: {cosine}")

    def moved(self, vertices, points, joint):
        """Where the flesh around a joint has gone to, as a whole."""
        near = sorted(range(len(vertices)), key=lambda i: length(minus(vertices[i], joint)))[:60]
        place = [SCALE * x for x in joint]
        for i in near:
            place = plus(place, minus(points[i], [SCALE * x for x in vertices[i]]), 1 / len(near))
        return place

    @needs("human/body.obj", "human/walk1.bvh")
    def test_human_walks(self):
        self.check_human("human/walk1.bvh", "up: z", WALK, lambda p: [p[0], p[2], -p[1]], 0)

    @needs("human/body.obj", "mocap/05_06.bvh")
    def test_human_dances(self):
        self.check_human("mocap/05_06.bvh", "rest_frame: 1, offset: -140", {}, list, 700)

    # Parts of him that are close.

    def ways(self, scene, close_parts, last, places):
        """How far the vertices next to some places go until the last frame."""
        body = os.path.abspath(os.path.join(DATA, "human/body.obj"))
        self.write({"parts.yaml": scene.format(mesh=body, close_parts=close_parts)})
        ended = self.program.run("run", "parts.yaml", "--overwrite", folder=self.folder, timeout=LONG)
        self.assertEqual(ended.status, DONE, ended.errors)
        vertices, points = read_obj(body)[0], self.surface(last)
        near = [min(range(len(vertices)), key=lambda i: length(minus(vertices[i], place)))
                for place in places]
        return [length(minus(points[i], vertices[i])) for i in near]

    @needs("human/body.obj")
    def test_a_finger_bends_alone(self):
        for close_parts, least, most in (("apart", 0, MOST_FOLLOWED), ("weld", LEAST_WELDED, 1)):
            index, middle, ring = self.ways(FINGERS, close_parts, 2, (INDEX, MIDDLE, RING))
            for way in index, ring:
                self.assertGreaterEqual(way, least * middle, close_parts)
                self.assertLessEqual(way, most * middle, close_parts)

    @needs("human/body.obj")
    def test_a_leg_bends_alone(self):
        bent, other = self.ways(LEGS, "apart", 4, (BENT_FOOT, OTHER_FOOT))
        self.assertGreater(bent, 6)
        self.assertLess(other, MOST_FOLLOWED * bent)

    # Animals.

    def check_drop(self, mesh, scale, height, cell, self_collision):
        last = self.frames(8, 5)
        path = os.path.abspath(os.path.join(DATA, mesh))
        self.write({"drop.yaml": DROP.format(mesh=path, scale=scale, height=height, cell=cell,
                                             last=last, self_collision=self_collision)})
        rows = self.run_scene("drop.yaml", cell, last)
        self.check_first_frame(read_obj(path)[0], scale, [0, height, 0])
        self.assertEqual(rows[1]["max_penetration"], 0)    # still falling
        self.assertGreater(rows[-1]["max_penetration"], 0)  # and there
        self.assertGreater(min(point[1] for point in self.surface(last)), -MOST_PENETRATION * cell)

    @needs("spot/spot.obj")
    def test_spot_falls(self):
        self.check_drop("spot/spot.obj", 0.8, 0.65, 0.08, "false")

    @needs("armadillo/armadillo.obj")
    def test_armadillo_falls(self):
        self.check_drop("armadillo/armadillo.obj", 1.5, 0.9, 0.08, "true")

if __name__ == "__main__":
    if not os.path.isdir(DATA):
        print(f"skipped: no {DATA}")
        sys.exit(SKIPPED)
    program.main()
