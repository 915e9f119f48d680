"""Boxes as formats have them that split vertices, have quads and n-gons, and places in a texture."""

import base64
import itertools
import json
import struct

CORNERS = list(itertools.product((0.0, 1.0), repeat=3))
# Quads with their normals out, by the corners' numbers.
SIDES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
SQUARE = [(0.0, 0.0), (0.0625, 0.0), (0.0625, 0.5), (0.0, 0.5)]


def place(side, corner):
    """Every side has a part of the texture of its own: all edges are seams."""
    return SQUARE[corner][0] + side / 8, SQUARE[corner][1]


def split_box(loose=True):
    """Four vertices a side, in an order of its own, and triangles; before them a loose vertex, which
    is in none."""
    vertices, places, triangles = ([(5.0, 5.0, 5.0)], [(0.0, 0.0)], []) if loose else ([], [], [])
    for side in (3, 0, 5, 1, 4, 2):
        first = len(vertices)
        vertices += [CORNERS[corner] for corner in SIDES[side]]
        places += [place(side, corner) for corner in range(4)]
        triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return vertices, places, triangles


def gltf(loose=True):
    vertices, places, triangles = split_box(loose)
    flat = [struct.pack("<3f", *vertex) for vertex in vertices]
    flat += [struct.pack("<2f", u, 1 - v) for u, v in places]  # glTF counts v downwards
    flat += [struct.pack("<3H", *triangle) for triangle in triangles]
    content, n = b"".join(flat), len(vertices)
    views = [(0, 12 * n), (12 * n, 8 * n), (20 * n, 6 * len(triangles))]
    accessors = [(5126, n, "VEC3"), (5126, n, "VEC2"), (5123, 3 * len(triangles), "SCALAR")]
    uri = "data:application/octet-stream;base64," + base64.b64encode(content).decode()
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "box", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1},
                                    "indices": 2}]}],
        "buffers": [{"byteLength": len(content), "uri": uri}],
        "bufferViews": [{"buffer": 0, "byteOffset": at, "byteLength": size} for at, size in views],
        "accessors": [{"bufferView": i, "componentType": kind, "count": count, "type": shape,
                       **({"min": [0, 0, 0], "max": [5, 5, 5]} if i == 0 else {})}
                      for i, (kind, count, shape) in enumerate(accessors)]})


# Four quads, and two pentagons around the middle of the edge that they share.
MIDDLE = len(CORNERS)
POLYGONS = [*SIDES[3:], SIDES[1], (0, MIDDLE, 1, 3, 2), (0, 4, 5, 1, MIDDLE)]


def quad_box():
    return [*CORNERS, (0.0, 0.0, 0.5)], POLYGONS


def obj():
    vertices, faces = quad_box()
    lines = ["v {} {} {}".format(*vertex) for vertex in vertices]
    for i, face in enumerate(faces):
        lines += [f"vt {(i + 1) / 16} {corner / 8}" for corner in range(len(face))]
        lines.append("f " + " ".join(f"{vertex + 1}/{corner - len(face)}"
                                     for corner, vertex in enumerate(face)))
    return "\n".join(lines) + "\n"


def obj_places():
    """Of each corner, face by face."""
    return [[((i + 1) / 16, corner / 8) for corner in range(len(face))]
            for i, face in enumerate(POLYGONS)]


def ply():
    vertices, faces = quad_box()
    head = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}", "property float x",
            "property float y", "property float z", "property float s", "property float t",
            f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    rows = ["{} {} {} {} 0.5".format(*vertex, i / 16) for i, vertex in enumerate(vertices)]
    rows += [" ".join(map(str, (len(face), *face))) for face in faces]
    return "\n".join(head + rows) + "\n"


def stl():
    vertices, _, triangles = split_box()
    lines = ["solid box"]
    for triangle in triangles:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += ["vertex {} {} {}".format(*vertices[vertex]) for vertex in triangle]
        lines += ["endloop", "endfacet"]
    return "\n".join(lines) + "\nendsolid box\n"


def stl_points():
    """In the order of their first appearance."""
    vertices, _, triangles = split_box()
    return list(dict.fromkeys(vertices[vertex] for triangle in triangles for vertex in triangle))
