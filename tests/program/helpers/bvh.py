"""Reads BVH files, with none of the program's code: turns and places of joints, frame by frame.

A turn is a 3x3 matrix, a list of rows; angles in files are degrees."""

import math

IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def plus(a, b, factor=1.0):
    return [x + factor * y for x, y in zip(a, b)]


def minus(a, b):
    return plus(a, b, -1.0)


def length(a):
    return math.sqrt(dot(a, a))


def unit(a):
    return [x / length(a) for x in a]


def transposed(m):
    return [list(column) for column in zip(*m)]


def apply(m, v):
    return [dot(row, v) for row in m]


def times(a, b):
    columns = transposed(b)
    return [[dot(row, column) for column in columns] for row in a]


def about(axis, radians):
    """A turn about a unit vector (Rodrigues)."""
    s, c = math.sin(radians), math.cos(radians)
    x, y, z = axis
    skew = [[0, -z, y], [z, 0, -x], [-y, x, 0]]
    return [[c * (i == j) + (1 - c) * axis[i] * axis[j] + s * skew[i][j] for j in range(3)]
            for i in range(3)]


class Joint:
    def __init__(self, name, parent):
        self.name, self.parent = name, parent  # the parent is a Joint, or None
        self.offset, self.channels = None, []


class Bvh:
    def __init__(self, path):
        with open(path) as file:
            words = iter(file.read().split())
        self.joints, self.ends = [], []
        self._read_hierarchy(words)
        assert next(words) == "Frames:"
        n_frames = int(next(words))
        assert [next(words), next(words)] == ["Frame", "Time:"]
        self.frame_time = float(next(words))
        width = sum(len(joint.channels) for joint in self.joints)
        self.rows = [[float(next(words)) for _ in range(width)] for _ in range(n_frames)]
        self.by_name = {joint.name: joint for joint in self.joints}

    def _read_hierarchy(self, words):
        opened, joint = [], None
        for word in words:
            if word in ("ROOT", "JOINT", "End"):
                joint = Joint(next(words), opened[-1] if opened else None)
                (self.ends if word == "End" else self.joints).append(joint)
            elif word == "{":
                opened.append(joint)
            elif word == "OFFSET":
                joint.offset = [float(next(words)) for _ in range(3)]
            elif word == "CHANNELS":
                joint.channels = [next(words) for _ in range(int(next(words)))]
            elif word == "}":
                opened.pop()
            elif word == "MOTION":
                return

    def pose(self, frame):
        """name -> (turn, place) at a frame, counted from 0; without one as the hierarchy stands."""
        row = iter(self.rows[frame] if frame is not None else [])
        found = {}
        for joint in self.joints:
            turn, shift = IDENTITY, joint.offset
            for channel in joint.channels if frame is not None else []:
                axis, value = IDENTITY["XYZ".index(channel[0])], next(row)
                if channel.endswith("rotation"):
                    turn = times(turn, about(axis, math.radians(value)))
                else:
                    shift = plus(shift, axis, value)
            if joint.parent:
                parent_turn, parent_place = found[joint.parent.name]
                turn = times(parent_turn, turn)
                shift = plus(parent_place, apply(parent_turn, shift))
            found[joint.name] = (turn, shift)
        return found
