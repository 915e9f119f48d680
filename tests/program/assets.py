"""Exports fit the files that a shot began with: boxes of every format, with seams, quads, n-gons and
places in a texture, are carried along rigidly, so that each vertex of each file has a known place."""

import math
import re
import tempfile

import program

program.need_modules("h5py", "numpy")

import export
import seamed_meshes
import sinew

MOVE = (0.25, -0.5, 0.125)
FRAMES = [1, 2]
VERTICES = {
    "split": seamed_meshes.split_box()[0],
    "welded": seamed_meshes.stl_points(),
    "quads": seamed_meshes.quad_box()[0],
    "faces": seamed_meshes.quad_box()[0],
}
FILES = {"split": "split.gltf", "welded": "welded.stl", "quads": "quads.ply", "faces": "faces.obj"}
SCENE = """\
name: boxes
frames: {first: 1, last: 2}
gravity: [0, 0, 0]
bodies:
""" + "".join(f"  - {{name: {name}, mesh: {file}, cell: 0.5}}\n" for name, file in FILES.items()) + (
    "pins:\n") + "".join(f"""\
  - name: {name}
    body: {name}
    region: {{box: {{min: [-2, -2, -2], max: [6, 6, 6]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 2, translate: {list(MOVE)}}}]}}
""" for name in FILES) + f"""\
bones:
  - {{name: shin bone, body: quads, mesh: "builtin:cube,size=0.2,detail=1",
     place: {{translate: [0.4, 0.4, 0.4]}},
     motion: {{keys: [{{frame: 1}}, {{frame: 2, translate: {list(MOVE)}}}]}}}}
colliders:
  - name: lid
    shape: {{box: {{min: [8, 8, 8], max: [9, 9, 9]}}}}
    motion: {{keys: [{{frame: 1}}, {{frame: 2, rotate: {{axis: [0, 0, 1], degrees: 90}}}}]}}
  - {{name: floor, shape: {{plane: {{point: [0, -9, 0], normal: [0, 1, 0]}}}}}}
"""
ALMOST = 1e-6  # pinned nodes are where they are told to be, and caches have floats


def moved(points, frame):
    share = frame - FRAMES[0]
    return [tuple(x + share * d for x, d in zip(point, MOVE)) for point in points]


class AssetTest(program.ProgramTest):
    """One run for all tests, in the folder `made`."""
    loose = True  # whether the glTF has a vertex that is in no face

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="sinew-test-")
        cls.addClassCleanup(folder.cleanup)
        cls.made = folder.name
        program.write_files(cls.made, {
            "scene.yaml": SCENE, "split.gltf": seamed_meshes.gltf(cls.loose),
            "welded.stl": seamed_meshes.stl(), "quads.ply": seamed_meshes.ply(),
            "faces.obj": seamed_meshes.obj()})
        cls.sinew("run", "scene.yaml", ranks=2)

    @classmethod
    def sinew(cls, *arguments, **how):
        result = cls.program.run(*arguments, folder=cls.made, **how)
        assert result.status == 0, result.errors


class Assets(AssetTest):
    def export(self, form, body=None, *more):
        """The content of the file, or of both files."""
        per_frame = form in ("obj", "ply")
        name = f"{body or 'all'}{'_#' if per_frame else ''}.{form}"
        chosen = ("--body", body) if body else ()
        result = self.program.run("export", "run", "--to", form, *chosen, *more, "--output", name,
                                  folder=self.made)
        self.assertEqual(result.status, 0, result.errors)
        names = [name.replace("#", str(frame)) for frame in FRAMES] if per_frame else [name]
        contents = []
        for each in names:
            with open(f"{self.made}/{each}", "rb") as file:
                contents.append(file.read())
        return contents if per_frame else contents[0]

    def check_frame(self, points, vertices, frame):
        for point, expected in zip(points, moved(vertices, frame), strict=True):
            for x, y in zip(point, expected):
                self.assertAlmostEqual(x, y, delta=ALMOST)

    def check_points(self, found, vertices):
        """At all frames."""
        for frame, points in zip(FRAMES, found, strict=True):
            self.check_frame(points, vertices, frame)

    def test_caches(self):
        for body, vertices in VERTICES.items():
            self.check_points(export.read_pc2(self.export("pc2", body))[2], vertices)
        together = sum(VERTICES.values(), [])
        self.check_points(export.read_mdd(self.export("mdd"))[1], together)

    def read_obj(self, content):
        """Vertices, and of each face the vertices, from 0, and places of its corners."""
        rows = [line.split() for line in content.decode().splitlines()]
        numbers = {word: [tuple(map(float, row)) for key, *row in rows if key == word]
                   for word in ("v", "vt")}
        faces = [[corner.split("/") for corner in row] for key, *row in rows if key == "f"]
        return (numbers["v"], [tuple(int(corner[0]) - 1 for corner in face) for face in faces],
                [[numbers["vt"][int(corner[1]) - 1] for corner in face] for face in faces])

    def test_obj_of_split_vertices(self):
        """Of seams the places are those of the file, turned up."""
        vertices, places, triangles = seamed_meshes.split_box()
        made = [self.read_obj(content) for content in self.export("obj", "split")]
        self.check_points([points for points, *_ in made], vertices)
        for _, faces, uvs in made:
            self.assertEqual(faces, triangles)
            self.assertEqual(uvs, [[places[vertex] for vertex in face] for face in triangles])

    def test_obj_of_polygons(self):
        made = [self.read_obj(content) for content in self.export("obj", "faces")]
        for _, faces, uvs in made:
            self.assertEqual(faces, seamed_meshes.POLYGONS)
            self.assertEqual(uvs, seamed_meshes.obj_places())

    def test_files_are_read_back(self):
        """What goes out comes in again as it was, through the other format."""
        for form, body in (("ply", "faces"), ("ply", "split"), ("obj", "quads")):
            self.export(form, body)
            scene = SCENE.split("pins:")[0] + f"output: {{dir: again_{body}}}\n"
            program.write_files(self.made, {"again.yaml": scene})
            result = self.program.run("run", "again.yaml", "-P", "frames.last=1", "-P",
                                      f"bodies.{body}.mesh={body}_1.{form}", folder=self.made)
            self.assertEqual(result.status, 0, result.errors)
            again, before = (sinew.Run(f"{self.made}/{name}").meshes.body(body)
                             for name in (f"again_{body}", "run"))
            self.assertEqual(len(again.vertex_point), len(VERTICES[body]))
            self.assertEqual([face.tolist() for face in again.faces],
                             [face.tolist() for face in before.faces])
            self.assertEqual(self.places(again), self.places(before))

    def places(self, mesh):
        """Of all corners; numbers of places may differ."""
        return [mesh.uvs[face].tolist() for face in mesh.uv_faces]

    def test_usda(self):
        text = self.export("usda", "faces").decode()
        uvs = export.numbers_in(re.search(r"primvars:st = \[([^]]*)\]", text)[1])
        uvs = list(zip(uvs[0::2], uvs[1::2]))
        indices = [int(i) for i in re.search(r"st:indices = \[([^]]*)\]", text)[1].split(",")]
        self.assertEqual([uvs[i] for i in indices], sum(seamed_meshes.obj_places(), []))
        stage = export.read_usda(text.encode())
        self.assertEqual(stage["faceVertexCounts"], list(map(len, seamed_meshes.POLYGONS)))
        self.assertEqual(stage["faceVertexIndices"], list(sum(seamed_meshes.POLYGONS, ())))
        self.check_points([stage["points"][frame] for frame in FRAMES], VERTICES["faces"])

    def test_usda_with_bones_and_colliders(self):
        """Where they are at the last frame, by matrices for rows; half spaces are left out."""
        text = self.export("usda", "faces", "--bones", "--colliders").decode()
        self.assertTrue(all(text.count(a) == text.count(b) for a, b in ("()", "[]", "{}")))
        self.assertEqual(re.findall(r'^def (\w+ "\w+")', text, re.MULTILINE),
                         ['Mesh "faces"', 'Xform "bones"', 'Xform "colliders"'])
        self.assertNotIn("floor", text)
        for name, corner, goes in (("shin_bone", (0.5, 0.5, 0.5), (0.75, 0.0, 0.625)),
                                   ("lid", (9, 8, 9), (-8, 9, 9))):
            prim = text[text.index(f'def Mesh "{name}"'):]
            points = export.triples(export.numbers_in(
                re.search(r"points = \[([^]]*)\]", prim)[1]))
            self.assertTrue(any(math.dist(point, corner) < ALMOST for point in points), points)
            matrix = export.numbers_in(re.search(r"\n +2: (\(.*\)),", prim)[1])
            for d in range(3):
                row = *corner, 1
                self.assertAlmostEqual(sum(row[i] * matrix[4 * i + d] for i in range(4)), goes[d],
                                       delta=ALMOST)
        result = self.program.run("export", "run", "--to", "pc2", "--bones", folder=self.made)
        self.assertEqual(result.status, 1, result.errors)

    def test_frames_carry_the_map(self):
        """A frame alone is enough for the vertices of the files."""
        for frame in sinew.Run(f"{self.made}/run"):
            self.assertLess(len(frame.points), len(frame.vertices))
            self.check_frame(frame.vertices, sum(VERTICES.values(), []), frame.number)
            for body, vertices in VERTICES.items():
                self.check_frame(frame.body(body).vertices, vertices, frame.number)


if __name__ == "__main__":
    program.main()
