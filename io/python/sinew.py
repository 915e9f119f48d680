"""Run directories, scenes and meshes of Sinew, for Python: one file on numpy and h5py.

    run = sinew.Run("run")
    frame = run.frame(10)              frame.points, frame.triangles, frame["velocity"] ...
    frame.vertices                     as the input's files have them, seams included
    run.table["residual"]              columns of frames.csv
    run.checkpoint()                   the newest: octants, nodes, elements
    sinew.write_scene("scene.yaml", {"bodies": [{"name": "a", "mesh": "a.ply", "cell": 0.1}]})
    sinew.write_ply("a.ply", vertices, faces, stiffness=values)

Frames are read when they are asked for, and arrays when these are: nothing is kept in memory that
nobody holds. Bodies are chosen by name: frame.body("flesh") has the points and faces of one, counted
from 0. Positions are float64, the very bits that were simulated. What is read is not changed; files
are written under another name first, and get their own when they are whole.
"""

import csv
import functools
import os
import re
import types

import h5py
import numpy as np

__all__ = ["Run", "Frame", "Cells", "Meshes", "Checkpoint", "read_ply", "write_ply", "write_obj",
           "write_motion", "write_scene"]


# ---- Runs ----

class Run:
    """A run directory. It may be of a run that goes on: what is there is read anew each time."""

    def __init__(self, directory):
        self.directory = os.fspath(directory)
        if not os.path.isdir(self.directory):
            raise FileNotFoundError(f"{self.directory}: no such run directory")

    def path(self, name):
        return os.path.join(self.directory, name)

    def _numbers(self, pattern):
        found = (re.fullmatch(pattern, name) for name in os.listdir(self.directory))
        return sorted(int(match[1]) for match in found if match)

    @property
    def frames(self):
        """Numbers of the frames that have a surface."""
        return self._numbers(r"surface_(\d+)\.vtkhdf")

    @property
    def octrees(self):
        """Numbers of the frames that have cells (output.octree)."""
        return self._numbers(r"octree_(\d+)\.vtkhdf")

    @property
    def checkpoints(self):
        """Numbers of the whole frames that have a checkpoint."""
        return self._numbers(r"checkpoint_(\d+)\.h5")

    def frame(self, number):
        return Frame(self.path(f"surface_{number:04}.vtkhdf"), self)

    def __iter__(self):
        """Frame after frame."""
        return (self.frame(number) for number in self.frames)

    def cells(self, number):
        return Cells(self.path(f"octree_{number:04}.vtkhdf"))

    def checkpoint(self, number=None):
        """Of this frame, or the newest."""
        number = self.checkpoints[-1] if number is None else number
        return Checkpoint(self.path(f"checkpoint_{number:04}.h5"))

    @property
    def meshes(self):
        """The input's meshes as their files have them."""
        return Meshes(self.path("meshes.hdf5"))

    @property
    def scene(self):
        """The text of the scene, every value as used."""
        with open(self.path("scene.yaml"), encoding="utf-8") as file:
            return file.read()

    @property
    def table(self):
        """frames.csv: an array by column; digests are texts, counts integers."""
        with open(self.path("frames.csv"), newline="", encoding="utf-8") as file:
            header, *rows = csv.reader(file)
        whole = [row for row in rows if len(row) == len(header)]  # the last may be half written
        return {name: _column(name, [row[i] for row in whole]) for i, name in enumerate(header)}


def _column(name, texts):
    if name == "digest":
        return np.array(texts, dtype=str)
    kind = np.int64 if name in ("frame", "newton", "linear", "inverted") else np.float64
    return np.array(texts, dtype=kind)


# ---- HDF5 ----

class _File:
    """Reads arrays out of a file, which is open only meanwhile."""

    def __init__(self, path):
        self.path = path
        with h5py.File(path, "r"):
            pass

    def _array(self, name):
        with h5py.File(self.path, "r") as file:
            return file[name][()]

    def _has(self, name):
        with h5py.File(self.path, "r") as file:
            return name in file

    def _names(self, group):
        with h5py.File(self.path, "r") as file:
            return sorted(file[group]) if group in file else []

    def _attribute(self, owner, name):
        with h5py.File(self.path, "r") as file:
            value = file[owner].attrs[name]
        return _text(value) if isinstance(value, (bytes, str)) else value

    def _texts(self, name):
        return [_text(text) for text in self._array(name)]


def _text(value):
    text = value.decode("utf-8") if isinstance(value, bytes) else value
    return text.rstrip("\0")


class _VtkFrame(_File):
    """What frames of the surface and of cells have in common."""

    @functools.cached_property
    def number(self):
        return int(self._attribute("sinew", "frame"))

    @functools.cached_property
    def time(self):
        """In seconds."""
        return float(self._attribute("sinew", "time"))

    @functools.cached_property
    def fps(self):
        return float(self._attribute("sinew", "fps"))

    @property
    def version(self):
        return self._attribute("sinew", "version")

    @property
    def scene(self):
        """The text of the scene, every value as used."""
        return self._attribute("sinew", "scene")

    @property
    def points(self):
        return self._array("VTKHDF/Points")

    @property
    def point_fields(self):
        """Names of the fields that points have."""
        return self._names("VTKHDF/PointData")

    @property
    def cell_fields(self):
        """Names of the fields that faces or cells have."""
        return self._names("VTKHDF/CellData")

    def _where(self, field):
        for group in ("PointData", "CellData"):
            if self._has(f"VTKHDF/{group}/{field}"):
                return f"VTKHDF/{group}/{field}"
        raise KeyError(f"{self.path}: no field '{field}'; there is "
                       + ", ".join(self.point_fields + self.cell_fields))

    def __getitem__(self, field):
        """A field, of points or else of cells."""
        return self._array(self._where(field))

    def units(self, field):
        return self._attribute(self._where(field), "units")


class Frame(_VtkFrame):
    """The deformed surface at a frame."""

    def __init__(self, path, run=None):
        super().__init__(path)
        self._run = run

    @functools.cached_property
    def bodies(self):
        """Their names, in the order of the scene."""
        return self._texts("sinew/name")

    @property
    def triangles(self):
        """Numbers of points; polygons of the input are cut up."""
        return self._array("VTKHDF/Connectivity").reshape(-1, 3)

    @property
    def vertex_point(self):
        """Which point each vertex of the input's files is."""
        if self._has("sinew/vertex_point"):
            return self._array("sinew/vertex_point")
        return np.arange(self._array("sinew/first_point")[-1])

    @property
    def vertices(self):
        """Positions, one to one with the vertices of the input's files."""
        return self.points[self.vertex_point]

    def body(self, name):
        """One body: points, triangles and vertices from 0, and `rows`, those of its points."""
        index = self.bodies.index(name)
        point, face = (self._array(f"sinew/{first}")[index:index + 2]
                       for first in ("first_point", "first_face"))
        points, vertex_point = slice(*point), self._body_vertices(index, point)
        positions = self.points[points]
        return types.SimpleNamespace(
            name=name, rows=points, points=positions,
            triangles=self.triangles[slice(*face)] - point[0],
            vertex_point=vertex_point, vertices=positions[vertex_point])

    def _body_vertices(self, index, point):
        if not self._has("sinew/first_vertex"):
            return np.arange(point[1] - point[0])
        vertex = self._array("sinew/first_vertex")[index:index + 2]
        return self._array("sinew/vertex_point")[slice(*vertex)] - point[0]


class Cells(_VtkFrame):
    """The cells of the finest octree at a frame: hexahedra."""

    @property
    def corners(self):
        """Eight points of each cell."""
        return self._array("VTKHDF/Connectivity").reshape(-1, 8)

    @property
    def centers(self):
        """Of each cell, the mean of its corners."""
        return self.points[self.corners].mean(axis=1)


class Meshes(_File):
    """The meshes of the scene as their files have them: meshes.hdf5."""

    @functools.cached_property
    def bodies(self):
        return self._texts("sinew/name")

    def body(self, name):
        """vertex_point, faces (a list of arrays of vertices), uvs and uv_faces, which is None if
        there is no texture; all counted from 0, but -1 in uv_faces is none."""
        index = self.bodies.index(name)
        vertex, polygon = (self._array(f"sinew/{first}")[index:index + 2]
                           for first in ("first_vertex", "first_polygon"))
        ends = self._array("sinew/first_corner")[polygon[0]:polygon[1] + 1]
        corners = slice(ends[0], ends[-1])
        cut = ends[1:-1] - ends[0]
        points = self._array("sinew/vertex_point")[slice(*vertex)]
        uvs, uv_faces = self._body_uvs(corners, cut)
        return types.SimpleNamespace(
            name=name, vertex_point=points - points.min(), uvs=uvs, uv_faces=uv_faces,
            faces=np.split(self._array("sinew/corner")[corners] - vertex[0], cut))

    def _body_uvs(self, corners, cut):
        if not self._has("sinew/uv"):
            return None, None
        of_corner = self._array("sinew/uv_corner")[corners]
        if (of_corner < 0).all():
            return None, None
        first = of_corner[of_corner >= 0].min()
        uvs = self._array("sinew/uv")[first:of_corner.max() + 1]
        return uvs, np.split(np.where(of_corner < 0, -1, of_corner - first), cut)


class Checkpoint(_File):
    """The state of a shot; arrays by their names in the file: checkpoint["node/x"]."""

    def __getitem__(self, name):
        return self._array(name)

    def names(self):
        """Of all arrays."""
        found = []
        with h5py.File(self.path, "r") as file:
            file.visititems(lambda name, item: found.append(name)
                            if isinstance(item, h5py.Dataset) else None)
        return sorted(found)

    @property
    def frame(self):
        return int(self._attribute("/", "frame"))

    @property
    def time(self):
        return float(self._attribute("/", "time"))

    @property
    def rest(self):
        """Lowest corners of the octants at rest, in the scene's lengths."""
        body, origin = self["octree/body"], self._attribute("octree", "origin")
        return origin[body] + self["octree/anchor"] * self._cells()[body, None]

    @property
    def edges(self):
        """Of the octants at rest."""
        return self._cells()[self["octree/body"]] * 2.0 ** self["octree/height"]

    def _cells(self):
        """The edge of each body's finest cell."""
        return self._attribute("octree", "cell")

    @property
    def is_element(self):
        return (self["octree/flags"] & 1) != 0

    @property
    def is_node(self):
        return (self["octree/flags"] & 2) != 0


# ---- Writing ----

class _Part:
    """A file that has its name only when it is whole."""

    def __init__(self, path):
        self.path, self.part = os.fspath(path), os.fspath(path) + ".part"

    def __enter__(self):
        self.file = open(self.part, "wb")
        return self.file

    def __exit__(self, failure, *_):
        self.file.close()
        if failure:
            os.remove(self.part)
        else:
            os.replace(self.part, self.path)


def _vertices(vertices):
    vertices = np.asarray(vertices, dtype=np.float64)
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError("vertices have three coordinates each")
    if not np.isfinite(vertices).all():
        raise ValueError("a vertex is not finite")
    return vertices


def write_obj(path, vertices, faces):
    """Faces are sequences of vertices from 0, of any length."""
    with _Part(path) as file:
        for x, y, z in _vertices(vertices).tolist():
            file.write(f"v {x!r} {y!r} {z!r}\n".encode())
        for face in faces:
            file.write(("f " + " ".join(str(int(corner) + 1) for corner in face) + "\n").encode())


def write_ply(path, vertices, faces, **properties):
    """Binary, in double precision. Properties are a number a vertex each: a map."""
    vertices = _vertices(vertices)
    columns = {"x": vertices[:, 0], "y": vertices[:, 1], "z": vertices[:, 2], **properties}
    rows = np.zeros(len(vertices), dtype=[(name, "<f8") for name in columns])
    for name, values in columns.items():
        rows[name] = values
    head = ["ply", "format binary_little_endian 1.0", f"element vertex {len(rows)}",
            *(f"property double {name}" for name in columns), f"element face {len(faces)}",
            "property list int int vertex_indices", "end_header", ""]
    with _Part(path) as file:
        file.write("\n".join(head).encode())
        file.write(rows.tobytes())
        for face in faces:
            file.write(np.array([len(face), *face], dtype="<i4").tobytes())


PLY_TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4",
             "float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2",
             "uint16": "u2", "int32": "i4", "uint32": "u4", "float32": "f4", "float64": "f8"}


def read_ply(path):
    """A binary little-endian PLY, such as `sinew export` and write_ply write: vertices, faces (a list
    of arrays), and the other properties of vertices by name."""
    with open(path, "rb") as file:
        content = file.read()
    end = content.index(b"end_header\n") + len(b"end_header\n")
    if b"format binary_little_endian" not in content[:end]:
        raise ValueError(f"{path}: not a binary little-endian PLY")
    elements = []
    for words in map(str.split, content[:end].decode().splitlines()):
        if words[0] == "element":
            elements.append((words[1], int(words[2]), []))
        elif words[0] == "property":
            elements[-1][2].append(words[1:])
    values, at = {}, end
    for name, count, properties in elements:
        values[name], at = _ply_element(content, at, count, properties)
    vertex = values["vertex"]
    rest = {name: column for name, column in vertex.items() if name not in ("x", "y", "z")}
    corners = values["face"].get("vertex_indices", values["face"].get("vertex_index"))
    return np.stack([vertex[axis].astype(float) for axis in "xyz"], axis=1), corners, rest


def _ply_element(content, at, count, properties):
    if all(words[0] != "list" for words in properties):
        kind = np.dtype([(name, "<" + PLY_TYPES[form]) for form, name in properties])
        rows = np.frombuffer(content, kind, count, at)
        return {name: rows[name] for name in rows.dtype.names}, at + count * kind.itemsize
    columns = {words[-1]: [] for words in properties}
    for _ in range(count):
        for *form, name in properties:
            length = 1
            if form[0] == "list":
                length = int(np.frombuffer(content, "<" + PLY_TYPES[form[1]], 1, at)[0])
                at += np.dtype(PLY_TYPES[form[1]]).itemsize
            value = np.frombuffer(content, "<" + PLY_TYPES[form[-1]], length, at)
            at += value.nbytes
            columns[name].append(value if form[0] == "list" else value[0])
    return columns, at


def write_motion(path, matrices, first_frame=None):
    """A CSV of a 3x4 or 4x4 matrix a frame, as `motion: {csv: ...}` reads it."""
    matrices = np.asarray(matrices, dtype=np.float64)[:, :3, :]
    if matrices.shape[1:] != (3, 4) or not np.isfinite(matrices).all():
        raise ValueError("a motion is a list of finite matrices, 3x4 or 4x4")
    with _Part(path) as file:
        if first_frame is not None:
            file.write(f"# the first row is frame {first_frame}\n".encode())
        for matrix in matrices.reshape(-1, 12).tolist():
            file.write((",".join(map(repr, matrix)) + "\n").encode())


def write_scene(path, scene):
    """A scene of dicts, lists, numbers, texts and booleans, by the keys of `sinew info --keys`."""
    with _Part(path) as file:
        file.write(_block(scene, "").encode("utf-8"))


def _block(value, indent):
    """YAML, a line a key as long as there is structure."""
    lines = []
    for name, inner in value.items():
        if inner is None:
            continue
        if isinstance(inner, dict) and inner:
            lines.append(f"{indent}{name}:\n" + _block(inner, indent + "  "))
        elif isinstance(inner, (list, tuple)) and any(isinstance(item, dict) for item in inner):
            lines.append(f"{indent}{name}:\n")
            lines += [_item(item, indent + "  ") for item in inner]
        else:
            lines.append(f"{indent}{name}: {_flow(inner)}\n")
    return "".join(lines)


def _item(item, indent):
    block = _block(item, indent + "  ")
    return f"{indent}- {block[len(indent) + 2:]}"


def _flow(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name}: {_flow(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, np.ndarray):
        return _flow(value.tolist())
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return '"' + os.fspath(value).replace("\\", "\\\\").replace('"', '\\"') + '"'
