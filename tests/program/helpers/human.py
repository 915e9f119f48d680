"""Bones and motions for the human body of the test data, which comes without either.

The body (decimetres, y up, looks along z) stands with its legs apart, its arms lowered and its
elbows bent. No motion file has that pose: walk1.bvh rests with level arms and straight legs, and so
does the dance's first frame, on a skeleton of other proportions. Where these files have their
joints, elbows and hands would be in the air. So:

- Joints are where this body has them: JOINTS, read off its cross-sections.
- A bone is a capsule between two joints, as thick as the flesh around it allows.
- A bone turns as the file's joint turns from the file's rest pose. The file's skeleton is first put
  into the body's pose: every limb is turned the shortest way to where the body's limb points, and
  what hangs on it goes with it.
- In the dance, legs point where the file's do, without its twist: between some frames of the file
  it leaps by half a turn in the hip and back in the ankle.
- Joints stay together: a bone's place follows from those before it, with the body's lengths.
- Every frame is shifted so that a foot is on the ground: the walk has its hips at one height, and
  the dancer's legs are not as long as the body's.

The first frame is the body's own pose, and from it the bones go over into the motion.

By hand, finer and longer:  human.py DATA FOLDER walk|dance CELL LAST_FRAME"""

import math
import os
import sys

from bvh import (IDENTITY, Bvh, apply, cross, dot, length, minus, part_of, plus, shortest_turn,
                 times, transposed, unit)

SCALE = 0.1  # to metres, those of the scenes
MOST_OF_CLEARANCE, MOST_OF_LENGTH = 0.6, 0.2  # for a bone's radius
SHIN = -7.5  # feet are below
WIDEST = 1.5  # more than the flesh around any bone: some of the surface is as near as that
GAP = 0.1  # of a bone's length, free at both ends: joints bend there

# The left side and the middle: joint, what it hangs on, place, its bone's end. Toes have no bone:
# there is hardly room for one.
JOINTS = [
    ("pelvis", None, (0, 0.75, 0.1), "hip"),
    ("waist", "pelvis", (0, 1.4, 0.2), "chest"),
    ("chest", "waist", (0, 3.2, 0.45), "neck"),
    ("neck", "chest", (0, 5.45, 0.1), "head"),
    ("head", "neck", (0, 6.4, 0.35), (0, 7.8, 0.5)),
    ("clavicle", "chest", (0.3, 5.05, 0.25), "shoulder"),
    ("shoulder", "clavicle", (1.66, 4.87, 0.05), "elbow"),
    ("elbow", "shoulder", (3.1, 3.66, 0.26), "wrist"),
    ("wrist", "elbow", (4.22, 2.42, 1.72), (4.48, 2.07, 2.3)),
    ("hip", "pelvis", (1.0, 0.5, 0.12), "knee"),
    ("knee", "hip", (1.5, -3.5, 0.27), "ankle"),
    ("ankle", "knee", (2.2, -7.2, -0.1), "toe"),
    ("toe", "ankle", (2.32, -8.0, 0.96), None),
]
MIDDLE = ("pelvis", "waist", "chest", "neck", "head")
POSED = ("shoulder", "elbow", "hip", "knee", "ankle")  # limbs that are put into the body's pose
LEGS = ("hip", "knee", "ankle", "toe")

# The same joints in the files, left and right.
WALK = {"pelvis": "Hips", "waist": "Spine1", "chest": "Spine3", "neck": "Neck", "head": "Head",
        "clavicle": "Clavicle_{}", "shoulder": "UpArm_{}", "elbow": "LoArm_{}", "wrist": "Hand_{}",
        "hip": "UpLeg_{}", "knee": "LoLeg_{}", "ankle": "Foot_{}", "toe": "Toe_{}"}
DANCE = {"pelvis": "Hips", "waist": "LowerBack", "chest": "Spine1", "neck": "Neck1", "head": "Head",
         "clavicle": "{}Shoulder", "shoulder": "{}Arm", "elbow": "{}ForeArm", "wrist": "{}Hand",
         "hip": "{}UpLeg", "knee": "{}Leg", "ankle": "{}Foot", "toe": "{}ToeBase"}


class Joint:
    def __init__(self, name, parent, place, kind, side):
        self.name, self.parent, self.place = name, parent, list(place)
        self.kind, self.side = kind, side  # of JOINTS; 0 left or middle, 1 right
        self.start = self.end = None       # of its bone
        self.next = None                   # the joint at its end


def _on_side(name, side):
    return name if name in MIDDLE else name + ("_left", "_right")[side]


def _mirrored(place, side):
    return [-place[0] if side else place[0], *place[1:]]


def skeleton():
    """The body's joints by name, each after the one it hangs on."""
    joints = {}
    for side in (0, 1):
        for kind, parent, place, _ in JOINTS:
            if side == 0 or kind not in MIDDLE:
                name = _on_side(kind, side)
                joints[name] = Joint(name, parent and joints[_on_side(parent, side)],
                                     _mirrored(place, side), kind, side)
    ends = {kind: end for kind, _, _, end in JOINTS}
    for joint in joints.values():
        end, joint.start = ends[joint.kind], joint.place
        if isinstance(end, str):
            joint.next = joints[_on_side(end, joint.side)]
            joint.end = joint.next.place
        elif end:
            joint.end = _mirrored(end, joint.side)
    joints["pelvis"].start = joints["hip_right"].place  # from hip to hip
    return joints


# The body's mesh.


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
                triangles += [(corners[0], *corners[i:i + 2]) for i in range(1, len(corners) - 1)]
    return vertices, triangles


def is_inside(point, vertices, triangles):
    """Whether a ray along z crosses the surface an odd number of times."""
    x, y, z = point[0] + 1.2345e-7, point[1] + 2.3456e-7, point[2]  # not through a vertex
    above = 0
    for corners in triangles:
        a, b, c = (vertices[i] for i in corners)
        if not (min(a[0], b[0], c[0]) < x < max(a[0], b[0], c[0])
                and min(a[1], b[1], c[1]) < y < max(a[1], b[1], c[1])):
            continue
        weights = [(q[0] - x) * (r[1] - y) - (q[1] - y) * (r[0] - x)
                   for q, r in ((b, c), (c, a), (a, b))]
        if min(weights) > 0 or max(weights) < 0:
            above += dot(weights, (a[2], b[2], c[2])) / sum(weights) > z
    return above % 2 == 1


def distance_to_segment(point, a, b):
    along = minus(b, a)
    part = min(1.0, max(0.0, dot(minus(point, a), along) / dot(along, along)))
    return length(minus(point, plus(a, along, part)))


def capsule(a, b, radius, around=16, rings=6):
    """A closed mesh whose round ends reach to a and b, as OBJ text."""
    axis = unit(minus(b, a))
    side = unit(cross(axis, IDENTITY[min(range(3), key=lambda i: abs(axis[i]))]))
    third = cross(axis, side)
    vertices, faces = [a], []
    for center, first in ((plus(a, axis, radius), 0), (plus(b, axis, -radius), rings)):
        for ring in range(first + (first == 0), first + rings + (first == 0)):
            angle = math.pi / 2 * (ring / rings - 1)  # from the start's pole to the end's
            flat, high = radius * math.cos(angle), radius * math.sin(angle)
            for i in range(around):
                turn = 2 * math.pi * i / around
                at = plus(center, axis, high)
                at = plus(at, side, flat * math.cos(turn))
                vertices.append(plus(at, third, flat * math.sin(turn)))
    vertices.append(b)
    n_rings = 2 * rings
    for i in range(around):
        j = (i + 1) % around
        faces.append((0, 1 + j, 1 + i))
        for low in (1 + ring * around for ring in range(n_rings - 1)):
            faces += [(low + i, low + j, low + around + j), (low + i, low + around + j,
                                                             low + around + i)]
        top = 1 + (n_rings - 1) * around
        faces.append((len(vertices) - 1, top + i, top + j))
    return ("".join("v {:.9g} {:.9g} {:.9g}\n".format(*v) for v in vertices)
            + "".join("f {} {} {}\n".format(*(i + 1 for i in f)) for f in faces))


class Bone:
    """The capsule of a joint, in the body's coordinates."""

    def __init__(self, joint, vertices):
        gap = GAP * length(minus(joint.end, joint.start))
        along = unit(minus(joint.end, joint.start))
        self.a, self.b = plus(joint.start, along, gap), plus(joint.end, along, -gap)
        self.clearance = min(distance_to_segment(v, self.a, self.b) for v in vertices
                             if all(min(p, q) - WIDEST < x < max(p, q) + WIDEST
                                    for x, p, q in zip(v, self.a, self.b)))
        self.radius = min(MOST_OF_CLEARANCE * self.clearance,
                          MOST_OF_LENGTH * length(minus(joint.end, joint.start)))

    def samples(self):
        return [plus(self.a, minus(self.b, self.a), part) for part in (0, 0.5, 1)]

    def mesh(self):
        return capsule(self.a, self.b, self.radius)


def bones(joints, vertices):
    return {name: Bone(joint, vertices) for name, joint in joints.items() if joint.end}


# Motions: for every frame the turns of all bones from the body's pose, and the pelvis's shift.


def from_z_up(v):
    return [v[0], v[2], -v[1]]


def to_z_up(v):
    return [v[0], -v[2], v[1]]


class Source:
    """A motion file, in the body's axes."""

    def __init__(self, path, names, sides, rest_frame, z_up, untwisted=()):
        self.bvh, self.names, self.sides, self.z_up = Bvh(path), names, sides, z_up
        self.untwisted = untwisted
        self.rest = self.pose(rest_frame)

    def name(self, joint):
        return self.names[joint.kind].format(self.sides[joint.side])

    def pose(self, frame):
        found = self.bvh.pose(frame)
        if not self.z_up:
            return found
        axes = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
        return {name: (times(axes, times(turn, transposed(axes))), from_z_up(place))
                for name, (turn, place) in found.items()}

    def into_body(self, joints):
        """The turns that put the file's rest pose into the body's, by joint."""
        found = {}
        for joint in joints.values():
            turn = found[joint.parent.name] if joint.parent else IDENTITY
            if joint.kind in POSED:
                there = minus(self.rest[self.name(joint.next)][1], self.rest[self.name(joint)][1])
                here = minus(joint.end, joint.place)
                turn = times(shortest_turn(apply(turn, there), here), turn)
            found[joint.name] = turn
        return found

    def frame(self, joints, posed, at):
        """Turns of all bones, from the body's pose, at a frame of the file."""
        pose = self.pose(at)
        turns = {}
        for name, joint in joints.items():
            if joint.kind in self.untwisted:
                turns[name] = self._shortest(joint, turns[joint.parent.name], pose)
                continue
            moved = times(pose[self.name(joint)][0], transposed(self.rest[self.name(joint)][0]))
            turns[name] = times(moved, transposed(posed[name]))
        return turns, pose[self.name(joints["pelvis"])][1]


    def _shortest(self, joint, parent_turn, pose):
        """From how it hangs on its parent to where the file's limb points; toes just hang on."""
        if not joint.next:
            return parent_turn
        there = minus(pose[self.name(joint.next)][1], pose[self.name(joint)][1])
        here = apply(parent_turn, minus(joint.end, joint.place))
        return times(shortest_turn(here, there), parent_turn)


def relative(joints, turns):
    """Each bone's turn, seen from the bone that it hangs on."""
    return {name: times(transposed(turns[joint.parent.name]), turns[name]) if joint.parent
            else turns[name] for name, joint in joints.items()}


class Motion:
    """Frames of relative turns and of the pelvis's shift: `lead_in` of them from the body's pose to
    the first of the file's frames, smoothly, and then all of these."""

    def __init__(self, joints, source, frames, lead_in, fps):
        self.joints, self.fps = joints, fps
        posed = source.into_body(joints)
        sole = min(joint.place[1] for joint in joints.values() if joint.kind == "toe")
        file_sole = min(place[1] for _, place in source.rest.values())
        pelvis = source.name(joints["pelvis"])
        size = ((joints["pelvis"].place[1] - sole) / (source.rest[pelvis][1][1] - file_sole))
        moved = [source.frame(joints, posed, at) for at in frames]
        origin = [moved[0][1][0], source.rest[pelvis][1][1], moved[0][1][2]]
        shifts = [[size * x for x in minus(place, origin)] for _, place in moved]
        turns = [relative(joints, t) for t, _ in moved]
        self.frames = []
        for i in range(lead_in):
            part = i / lead_in
            part = part * part * (3 - 2 * part)
            self.frames.append(({name: part_of(t, part) for name, t in turns[0].items()},
                                [part * x for x in shifts[0]]))
        self.frames += list(zip(turns, shifts))

    def maps(self, frame):
        """name -> (turn, shift): a point x of the body goes to turn x + shift."""
        relative_turns, shift = self.frames[frame]
        found, place = {}, {}
        for name, joint in self.joints.items():
            turn = relative_turns[name]
            place[name] = plus(joint.place, shift)
            if joint.parent:
                parent_turn, parent_shift = found[joint.parent.name]
                turn = times(parent_turn, turn)
                place[name] = plus(apply(parent_turn, joint.place), parent_shift)
            found[name] = (turn, minus(place[name], apply(turn, joint.place)))
        return found

    def lowest_foot(self, frame, vertices):
        """Height of its lowest point at a frame if it moved as rigidly as its bone."""
        maps, low = self.maps(frame), math.inf
        for name, joint in self.joints.items():
            if joint.kind == "ankle":
                turn, shift = maps[name]
                low = min(low, min(dot(turn[1], v) + shift[1] for v in vertices
                                   if v[1] < SHIN and v[0] * joint.place[0] > 0))
        return low

    def ground(self, vertices):
        """Shifts every frame up or down, so that a foot stands as low as in the body's pose."""
        rest = self.lowest_foot(0, vertices)
        for frame, (_, shift) in enumerate(self.frames):
            shift[1] += rest - self.lowest_foot(frame, vertices)

    def csv(self, name):
        """The matrices of one bone, a line a frame, as `motion: {csv: ...}` reads them."""
        lines = []
        for frame in range(len(self.frames)):
            turn, shift = self.maps(frame)[name]
            lines.append(",".join(f"{x:.12g}" for row, s in zip(turn, shift) for x in [*row, s]))
        return "\n".join(lines) + "\n"

    def bvh(self):
        """All of it as a BVH file with z up, whose joints are the body's."""
        text = "HIERARCHY\n" + self._hierarchy(self.joints["pelvis"])
        text += f"MOTION\nFrames: {len(self.frames)}\nFrame Time: {1 / self.fps:.9g}\n"
        for turns, shift in self.frames:
            row = to_z_up(shift)
            for name in self._order(self.joints["pelvis"]):
                row += _angles(turns[name])
            text += " ".join(f"{x:.9f}" for x in row) + "\n"
        return text

    def _children(self, joint):
        return [other for other in self.joints.values() if other.parent is joint]

    def _order(self, joint):
        names = [joint.name]
        for child in self._children(joint):
            names += self._order(child)
        return names

    def _hierarchy(self, joint):
        offset = minus(joint.place, joint.parent.place) if joint.parent else joint.place
        children = self._children(joint)
        text = "JOINT" if joint.parent else "ROOT"
        text += " {}\n{{\nOFFSET {:.9g} {:.9g} {:.9g}\n".format(joint.name, *to_z_up(offset))
        positions = "" if joint.parent else "Xposition Yposition Zposition "
        text += f"CHANNELS {3 if joint.parent else 6} {positions}Xrotation Yrotation Zrotation\n"
        text += "".join(self._hierarchy(child) for child in children)
        if not children:
            text += "End Site\n{{\nOFFSET {:.9g} {:.9g} {:.9g}\n}}\n".format(
                *to_z_up(minus(joint.end or joint.place, joint.place)))
        return text + "}\n"


def _angles(turn):
    """Of a turn in the body's axes: degrees about x, y and z of a file with z up, Rx Ry Rz."""
    axes = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    m = times(axes, times(turn, transposed(axes)))
    return [math.degrees(a) for a in (math.atan2(-m[1][2], m[2][2]),
                                      math.asin(max(-1.0, min(1.0, m[0][2]))),
                                      math.atan2(-m[0][1], m[0][0]))]


def walk(data, joints, vertices, cycles=1, lead_in=4):
    """At half the file's speed: its 14 frames are a whole cycle, and jump from one to the next."""
    source = Source(os.path.join(data, "human/walk1.bvh"), WALK, "LR", None, True)
    motion = Motion(joints, source, list(range(len(source.bvh.rows))) * cycles, lead_in, 12)
    motion.ground(vertices)
    return motion


DANCE_FRAMES = range(620, 885)  # before, feet leap from one frame to the next in the file itself


def dance(data, joints, vertices, frames, lead_in=8):
    """Every fifth of the file's 120 frames a second; its first is the rest pose."""
    source = Source(os.path.join(data, "mocap/05_06.bvh"), DANCE, ("Left", "Right"), 0, False,
                    LEGS)
    motion = Motion(joints, source, frames[::5], lead_in, 24)
    motion.ground(vertices)
    return motion


# Scenes.

FPS = 24
SCENE = """\
name: {name}
frames: {{first: 1, last: {last}, fps: {fps}}}
bodies:
  - name: flesh
    mesh: {mesh}
    place: {{scale: {scale}}}
    cell: {cell}
    material: {{young: 3e4, poisson: 0.45, density: 1000, damping: 0.01}}
bones:
{bones}colliders:
  - {{name: floor, shape: {{plane: {{point: [0, {floor}, 0], normal: [0, 1, 0]}}}}, friction: 0.5}}
self_collision: {{enabled: true}}
"""
FLOOR_ABOVE = 0.05  # the lowest point that the feet would reach: they have to give way


def write(folder, mesh, name, motion, cell, last, kind):
    """A scene, name.yaml, in a folder, with all that it needs. kind: of motion file, bvh or csv."""
    mesh = os.path.abspath(mesh)
    vertices, _ = read_obj(mesh)
    lowest = min(motion.lowest_foot(frame, vertices) for frame in range(len(motion.frames)))
    lines = ""
    if kind == "bvh":
        with open(os.path.join(folder, "motion.bvh"), "w") as file:
            file.write(motion.bvh())
    capsules = bones(motion.joints, vertices)
    for joint, bone in capsules.items():
        with open(os.path.join(folder, joint + ".obj"), "w") as file:
            file.write(bone.mesh())
        if kind == "csv":
            with open(os.path.join(folder, joint + ".csv"), "w") as file:
                file.write(motion.csv(joint))
        how = (f"bvh: motion.bvh, joint: {joint}, up: z, rest_frame: 1" if kind == "bvh"
               else f"csv: {joint}.csv, fps: {motion.fps}")
        lines += (f"  - {{name: {joint}, body: flesh, mesh: {joint}.obj, place: {{scale: {SCALE}}},"
                  f" motion: {{{how}, scale: {SCALE}}}}}\n")
    with open(os.path.join(folder, name + ".yaml"), "w") as file:
        file.write(SCENE.format(
            name=name, last=last, fps=FPS, mesh=mesh, cell=cell, scale=SCALE, bones=lines,
            floor=SCALE * (lowest + FLOOR_ABOVE)))
    return capsules


def main(data, folder, name, cell, last):
    body = os.path.join(data, "human/body.obj")
    vertices, _ = read_obj(body)
    if name == "walk":
        motion = walk(data, skeleton(), vertices, cycles=4)
        write(folder, body, name, motion, cell, last, "bvh")
    else:
        motion = dance(data, skeleton(), vertices, DANCE_FRAMES)
        write(folder, body, name, motion, cell, last, "csv")


if __name__ == "__main__":
    main(*sys.argv[1:])
