"""Characters that nobody here made, from their files to frames: the human walks and dances on bones
made for him (human.py), the cow and the armadillo fall on a floor. Cells are coarse and frames few:
what counts is that flesh goes with the bones, that nothing turns inside out or sinks in, and that
the frames have the vertices of the file. Skipped without the data: SINEW_DATA, or shared/data
beside the project."""

import csv
import os
import sys
import unittest

import human
import program
import surface_files
from bvh import apply, length, minus, plus

DATA = os.environ.get("SINEW_DATA") or os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "../../../shared/data")
DONE, SKIPPED = 0, 77
LONG = 280  # seconds, on a machine that has other things to do as well

MOST_BONE_ERROR = 0.5    # of a finest cell
MOST_PENETRATION = 0.5   # of a finest cell
MOST_VOLUME_CHANGE = 0.04

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

    # The human.

    def check_human(self, name, motion, vertices, cell, last, kind):
        body = os.path.join(DATA, "human/body.obj")
        bones = human.write(self.folder, body, name, motion, cell, last, kind)
        rows = self.run_scene(name + ".yaml", cell, last)
        worst = max(row["bone_error"] for row in rows)
        self.assertLessEqual(worst, MOST_BONE_ERROR * cell)
        self.check_first_frame(vertices, human.SCALE, [0, 0, 0])
        self.check_followed(motion, bones, vertices, last, cell)
        on_floor = sum(row["max_penetration"] > 0 for row in rows)
        self.assertGreater(on_floor, len(rows) // 2)

    def check_followed(self, motion, bones, vertices, last, cell):
        """Flesh around the middle of a bone is where it would be if it were bone, within a cell."""
        points = self.surface(last)
        at, between = divmod((last - 1) * motion.fps, human.FPS)
        self.assertEqual(between, 0)  # a frame of the motion
        maps = motion.maps(at)
        for name, bone in bones.items():
            turn, shift = maps[name]
            middle = plus(bone.a, minus(bone.b, bone.a), 0.5)
            near = min(range(len(vertices)), key=lambda i: length(minus(vertices[i], middle)))
            there = [human.SCALE * x for x in plus(apply(turn, vertices[near]), shift)]
            self.assertLess(length(minus(points[near], there)), cell, f"{name}, vertex {near}")

    @needs("human/body.obj")
    def test_bones_are_inside_the_body(self):
        vertices, triangles = human.read_obj(os.path.join(DATA, "human/body.obj"))
        for name, bone in human.bones(human.skeleton(), vertices).items():
            self.assertGreater(bone.radius, 0.05, name)
            for point in bone.samples():
                self.assertTrue(human.is_inside(point, vertices, triangles), f"{name}: {point}")

    @needs("human/body.obj", "human/walk1.bvh")
    def test_human_walks(self):
        vertices, _ = human.read_obj(os.path.join(DATA, "human/body.obj"))
        motion = human.walk(DATA, human.skeleton(), vertices)
        self.check_human("walk", motion, vertices, 0.04, self.frames(9, 3), "bvh")

    @needs("human/body.obj", "mocap/05_06.bvh")
    def test_human_dances(self):
        vertices, _ = human.read_obj(os.path.join(DATA, "human/body.obj"))
        motion = human.dance(DATA, human.skeleton(), vertices, human.DANCE_FRAMES)
        self.check_human("dance", motion, vertices, 0.04, self.frames(10, 3), "csv")

    # Animals.

    def check_drop(self, mesh, scale, height, cell, self_collision):
        last = self.frames(8, 5)
        path = os.path.abspath(os.path.join(DATA, mesh))
        self.write({"drop.yaml": DROP.format(mesh=path, scale=scale, height=height, cell=cell,
                                             last=last, self_collision=self_collision)})
        rows = self.run_scene("drop.yaml", cell, last)
        self.check_first_frame(human.read_obj(path)[0], scale, [0, height, 0])
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
