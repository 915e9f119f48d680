"""The rigged bar of gltf_rig as an ASCII FBX file, as programs write it that have turns of their own
before those of animations: the elbow's axes are turned before its keys count. Its node stands
bent, its cluster says where it was bound, and its animation bends it further."""

import math

import gltf_rig

SECOND = 46186158000  # FBX's ticks
BEFORE = 90.0         # degrees about x that the elbow's axes are turned
TURNED = (1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0)  # the columns of that turn


def _numbers(values):
    return f"*{len(values)} {{ a: {','.join(format(v, '.9g') for v in values)} }}"


def _properties(**properties):
    kinds = {1: ("double", "Number"), 3: ("Vector3D", "Vector")}
    rows = []
    for name, value in properties.items():
        value = value if isinstance(value, tuple) else (value,)
        kind, label = kinds[len(value)]
        name = name.replace("_", " ")
        if name.startswith("Lcl"):
            kind, label = name, ""
        rows.append(f'P: "{name}", "{kind}", "{label}", "A",' + ",".join(map(str, value)))
    return "Properties70: { " + "\n".join(rows) + " }"


def _model(number, name, kind, **properties):
    return f'Model: {number}, "Model::{name}", "{kind}" {{ Version: 232\n{_properties(**properties)} }}'


def _matrix(x, columns=(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0)):
    return list(columns) + [x, 0, 0, 1]


def _curve(number, times, values):
    return (f'AnimationCurve: {number}, "AnimCurve::", "" {{ Default: 0\nKeyVer: 4008\n'
            f"KeyTime: *{len(times)} {{ a: {','.join(str(int(t * SECOND)) for t in times)} }}\n"
            f"KeyValueFloat: {_numbers(values)} }}")


def parts():
    """What the file is made of, to be changed: objects by names, connections, and whole joints."""
    vertices = gltf_rig.vertices()
    faces = gltf_rig.faces()
    joint_of = [0 if v[0] < gltf_rig.JOINTS[1] else 1 for v in vertices]
    corners = [i for a, b, c in faces for i in (a, b, -c - 1)]
    turned = math.degrees(gltf_rig.BENT)
    further = math.degrees(gltf_rig.FURTHER)
    x = gltf_rig.JOINTS
    objects = {
        "bar": _model(1, "bar", "Mesh", Lcl_Rotation=(-90, 0, 0), Lcl_Scaling=(0.01, 0.01, 0.01)),
        "shape": f'Geometry: 2, "Geometry::bar", "Mesh" {{\nVertices: '
                 f"{_numbers([c for v in vertices for c in v])}\n"
                 f"PolygonVertexIndex: {_numbers(corners)}\nGeometryVersion: 124 }}",
        # z is up and centimetres are the unit: the armature makes y and metres of them
        "armature": _model(3, "armature", "Null", Lcl_Rotation=(-90, 0, 0),
                           Lcl_Scaling=(0.01, 0.01, 0.01)),
        "root": _model(10, "root", "LimbNode", Lcl_Translation=(x[0], 0, 0)),
        # (R_x Z) has the bend about y as one about the turned axes' -z
        "elbow": _model(11, "elbow", "LimbNode", Lcl_Translation=(x[1] - x[0], 0, 0),
                        PreRotation=(BEFORE, 0, 0), Lcl_Rotation=(0, 0, -turned),
                        RotationActive=1.0),
        "tip": _model(12, "tip", "LimbNode", Lcl_Translation=(x[2] - x[1], 0, 0)),
        "skin": 'Deformer: 20, "Deformer::skin", "Skin" { Version: 101\nLink_DeformAcuracy: 50 }',
        "stack": 'AnimationStack: 40, "AnimStack::bend", "" { }',
        "layer": 'AnimationLayer: 41, "AnimLayer::base", "" { }',
        "turns": 'AnimationCurveNode: 42, "AnimCurveNode::R", "" { '
                 + _properties(**{"d|X": 0, "d|Y": 0, "d|Z": -turned}) + " }",
        "turn_x": _curve(43, (0, 1), (0, 0)),
        "turn_y": _curve(44, (0, 1), (0, 0)),
        "turn_z": _curve(45, (0, 1), (-turned, -further)),
    }
    connections = ["OO,1,0", "OO,2,1", "OO,3,0", "OO,10,3", "OO,11,10", "OO,12,11", "OO,20,2",
                   "OO,41,40", "OO,42,41", 'OP,42,11,"Lcl Rotation"', 'OP,43,42,"d|X"',
                   'OP,44,42,"d|Y"', 'OP,45,42,"d|Z"']
    for i, joint in enumerate(("root", "elbow")):
        moved = [v for v, j in enumerate(joint_of) if j == i]
        # where mesh and joint were when they were bound: the armature's place, and the joint's
        link = (1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0) if i == 0 else TURNED
        objects[f"cluster {joint}"] = (
            f'Deformer: {21 + i}, "SubDeformer::{joint}", "Cluster" {{ Version: 100\n'
            f"Indexes: {_numbers(moved)}\nWeights: {_numbers([1.0] * len(moved))}\n"
            f"Transform: {_numbers(_back(x[i], link))}\n"
            f"TransformLink: {_numbers(_to_world(_matrix(x[i], link)))} }}")
        connections += [f"OO,{21 + i},20", f"OO,{10 + i},{21 + i}"]
    return objects, connections


def _back(x, link):
    """The inverse of _matrix(x, link), a turn and a shift."""
    turned_back = [link[4 * (i // 4) + i % 4] if i % 4 == 3 else link[4 * (i % 4) + i // 4]
                   for i in range(12)]
    return turned_back + [-x * turned_back[d] for d in range(3)] + [1]


def _to_world(columns):
    """Behind the armature, which takes x y z to 0.01 (x, z, -y)."""
    out = []
    for c in range(4):
        x, y, z, w = columns[4 * c:4 * c + 4]
        out += [0.01 * x, 0.01 * z, -0.01 * y, w]
    return out


def text(objects, connections):
    return ("; FBX 7.4.0 project file\nFBXHeaderExtension: { FBXHeaderVersion: 1003\n"
            "FBXVersion: 7400 }\nGlobalSettings: { Version: 1000\nProperties70: {\n"
            'P: "UpAxis", "int", "Integer", "",1\nP: "UpAxisSign", "int", "Integer", "",1\n'
            'P: "FrontAxis", "int", "Integer", "",2\nP: "FrontAxisSign", "int", "Integer", "",1\n'
            'P: "CoordAxis", "int", "Integer", "",0\nP: "CoordAxisSign", "int", "Integer", "",1\n'
            'P: "UnitScaleFactor", "double", "Number", "",100 } }\n'
            "Objects: {\n" + "\n".join(objects.values()) + "\n}\nConnections: {\n"
            + "\n".join(f'C: {_quoted(c)}' for c in connections) + "\n}\n")


def _quoted(connection):
    kind, rest = connection.split(",", 1)
    return f'"{kind}",{rest}'
