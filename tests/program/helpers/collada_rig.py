"""The rigged bar of gltf_rig as a Collada file: matrices everywhere, and keys that are matrices."""

import math

import gltf_rig


def _row(values):
    return " ".join(format(v, ".9g") for v in values)


def _shifted(x, angle=0.0):
    """Row by row; turned about y."""
    c, s = math.cos(angle), math.sin(angle)
    return (c, 0, s, x, 0, 1, 0, 0, -s, 0, c, 0, 0, 0, 0, 1)


def _source(name, kind, values, params, width=1):
    array = "Name_array" if kind == "name" else "float_array"
    count = len(values.split())
    columns = "".join(f'<param name="{p}" type="{t}"/>' for p, t in params)
    return (f'<source id="{name}"><{array} id="{name}-a" count="{count}">{values}</{array}>'
            f'<technique_common><accessor source="#{name}-a" count="{count // width}" '
            f'stride="{width}">{columns}</accessor></technique_common></source>')


def parts():
    """Texts of the file's libraries, to be changed."""
    vertices, faces, x = gltf_rig.vertices(), gltf_rig.faces(), gltf_rig.JOINTS
    xyz = [(axis, "float") for axis in "XYZ"]
    matrix = [("TRANSFORM", "float4x4")]
    binds = _row([v for j in x[:2] for v in _shifted(-j)])
    pairs = " ".join(f"{0 if v[0] < x[1] else 1} 0" for v in vertices)
    turns = [gltf_rig.BENT, (gltf_rig.BENT + gltf_rig.FURTHER) / 2, gltf_rig.FURTHER]
    keys = _row([v for turn in turns for v in _shifted(x[1] - x[0], turn)])
    return {
        "geometries": '<geometry id="bar"><mesh>'
        + _source("bar-p", "float", _row([c for v in vertices for c in v]), xyz, 3)
        + '<vertices id="bar-v"><input semantic="POSITION" source="#bar-p"/></vertices>'
        f'<triangles count="{len(faces)}"><input semantic="VERTEX" source="#bar-v" offset="0"/>'
        f"<p>{_row([i for f in faces for i in f])}</p></triangles></mesh></geometry>",
        "controllers": '<controller id="skin"><skin source="#bar"><bind_shape_matrix>'
        f"{_row(_shifted(0))}</bind_shape_matrix>"
        + _source("skin-j", "name", "root elbow", [("JOINT", "name")])
        + _source("skin-b", "float", binds, matrix, 16)
        + _source("skin-w", "float", "1", [("WEIGHT", "float")])
        + '<joints><input semantic="JOINT" source="#skin-j"/>'
        '<input semantic="INV_BIND_MATRIX" source="#skin-b"/></joints>'
        f'<vertex_weights count="{len(vertices)}">'
        '<input semantic="JOINT" source="#skin-j" offset="0"/>'
        '<input semantic="WEIGHT" source="#skin-w" offset="1"/>'
        f'<vcount>{_row([1] * len(vertices))}</vcount><v>{pairs}</v></vertex_weights></skin>'
        "</controller>",
        "animations": '<animation id="bend" name="bend">'
        + _source("times", "float", "0.0 0.5 1.0", [("TIME", "float")])
        + _source("keys", "float", keys, matrix, 16)
        + _source("ways", "name", "LINEAR LINEAR LINEAR", [("INTERPOLATION", "name")])
        + '<sampler id="s"><input semantic="INPUT" source="#times"/>'
        '<input semantic="OUTPUT" source="#keys"/>'
        '<input semantic="INTERPOLATION" source="#ways"/></sampler>'
        '<channel source="#s" target="elbow/transform"/></animation>',
        "visual_scenes": '<visual_scene id="scene"><node id="armature">'
        f'<matrix sid="transform">{_row(_ARMATURE)}</matrix>'
        + _joint("root", _shifted(x[0]))
        + _joint("elbow", _shifted(x[1] - x[0], gltf_rig.BENT))
        + _joint("tip", _shifted(x[2] - x[1])) + "</node></node></node></node>"
        '<node id="shown"><translate>7 7 7</translate><instance_controller url="#skin">'
        "<skeleton>#root</skeleton></instance_controller></node></visual_scene>",
    }


_ARMATURE = (0.01, 0, 0, 0, 0, 0, 0.01, 0, 0, -0.01, 0, 0, 0, 0, 0, 1)


def _joint(name, matrix):
    return (f'<node id="{name}" sid="{name}" name="{name}" type="JOINT">'
            f'<matrix sid="transform">{_row(matrix)}</matrix>')


def text(libraries):
    return ('<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
            'version="1.4.1"><asset><unit name="meter" meter="1"/><up_axis>Y_UP</up_axis></asset>'
            + "".join(f"<library_{name}>{value}</library_{name}>"
                      for name, value in libraries.items())
            + '<scene><instance_visual_scene url="#scene"/></scene></COLLADA>')
