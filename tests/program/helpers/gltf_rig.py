"""A small rigged character as a glTF file: a bar along x, in centimetres and with z up, as it was
modelled; a node above its joints makes metres of it and turns it. It was bound straight, but its
nodes stand bent, and its animation bends it further."""

import base64
import json
import math
import struct

LENGTH, THICK = 200.0, 20.0
JOINTS = (10.0, 100.0, 190.0)  # along x
BENT, FURTHER = math.radians(20), math.radians(40)  # about y of the file: the bar bends in x and z


def _box():
    vertices = [(x, y, z) for x in [LENGTH * i / 10 for i in range(11)]
                for y in (-THICK, THICK) for z in (-THICK, THICK)]
    faces = []
    for i in range(10):
        a, b = 4 * i, 4 * i + 4
        for p, q in ((0, 1), (1, 3), (3, 2), (2, 0)):
            faces += [(a + p, b + q, a + q), (a + p, b + p, b + q)]
    faces += [(0, 3, 2), (0, 1, 3), (40, 42, 43), (40, 43, 41)]
    return vertices, faces


def _about_y(angle):
    return [0, math.sin(angle / 2), 0, math.cos(angle / 2)]


def document():
    """The JSON, to be changed, and the numbers of each accessor with its type."""
    vertices, faces = _box()
    numbers = {
        "POSITION": ("VEC3", 5126, [x for v in vertices for x in v]),
        "indices": ("SCALAR", 5123, [i for f in faces for i in f]),
        "JOINTS_0": ("VEC4", 5121, [j for v in vertices
                                    for j in ((0 if v[0] < JOINTS[1] else 1), 0, 0, 0)]),
        "WEIGHTS_0": ("VEC4", 5126, [1.0, 0.0, 0.0, 0.0] * len(vertices)),
        "binds": ("MAT4", 5126, [x for j in JOINTS for x in
                                 (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -j, 0, 0, 1)]),
        "times": ("SCALAR", 5126, [0.0, 1.0]),
        "turns": ("VEC4", 5126, _about_y(BENT) + _about_y(FURTHER)),
    }
    index = {name: i for i, name in enumerate(numbers)}
    s = math.sqrt(0.5)
    rig = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0, 4]}],
        "nodes": [
            {"name": "armature", "scale": [0.01] * 3, "rotation": [-s, 0, 0, s], "children": [1]},
            {"name": "root", "translation": [JOINTS[0], 0, 0], "children": [2]},
            {"name": "elbow", "translation": [JOINTS[1] - JOINTS[0], 0, 0],
             "rotation": _about_y(BENT), "children": [3]},
            {"name": "tip", "translation": [JOINTS[2] - JOINTS[1], 0, 0]},
            {"name": "bar", "mesh": 0, "skin": 0, "translation": [7, 7, 7]}],
        "meshes": [{"primitives": [{"attributes": {name: index[name] for name in
                                                   ("POSITION", "JOINTS_0", "WEIGHTS_0")},
                                    "indices": index["indices"]}]}],
        "skins": [{"joints": [1, 2, 3], "inverseBindMatrices": index["binds"]}],
        "animations": [{"name": "bend", "samplers": [{"input": index["times"],
                                                      "output": index["turns"]}],
                        "channels": [{"sampler": 0, "target": {"node": 2, "path": "rotation"}}]}],
    }
    return rig, numbers


def place(vertex, angle=0.0):
    """Where a vertex of the file is in the scene when the elbow has turned."""
    x, y, z = vertex
    if x > JOINTS[1]:
        x, z = (JOINTS[1] + (x - JOINTS[1]) * math.cos(angle) + z * math.sin(angle),
                z * math.cos(angle) - (x - JOINTS[1]) * math.sin(angle))
    return 0.01 * x, 0.01 * z, -0.01 * y


def vertices():
    return _box()[0]


def faces():
    return _box()[1]


def text(rig, numbers):
    widths = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}
    codes = {5126: "f", 5123: "H", 5121: "B"}
    data, views, accessors = b"", [], []
    for kind, code, values in numbers.values():
        data += b"\0" * (-len(data) % 4)
        packed = struct.pack(f"<{len(values)}{codes[code]}", *values)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed)})
        accessors.append({"bufferView": len(views) - 1, "componentType": code, "type": kind,
                          "count": len(values) // widths[kind]})
        data += packed
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    return json.dumps(dict(rig, bufferViews=views, accessors=accessors,
                           buffers=[{"byteLength": len(data), "uri": uri}]))
