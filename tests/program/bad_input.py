"""Bad input: each kind gets one message that says where, the right status, and leaves no trace."""

import concurrent.futures
import json
import os
import re
import struct
import tempfile

import program

WORKERS = 2
RANKED_STEP, SANITIZED_STEP = 2, 5  # each start is slow then; alone they all run
DONE, WRONG, MACHINE = 0, 1, 2

CUBE = """
v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 0 0 1\nv 1 0 1\nv 0 1 1\nv 1 1 1
f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6
"""
SHEET = "v 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 1 2\nf 1 2 3 4\n"
SLANTED_TRIANGLE = "v 0 0 0\nv 1 0 1\nv 0 1 1\nf 1 2 3\n"
TWO_SIDED_SHEET = "v 0 0 0\nv 1 0 1\nv 1 1 3\nv 0 1 2\nf 1 2 3 4\nf 4 3 2 1\n"

MESH_LINE, CELL_LINE = 4, 5


def scene(mesh="mesh.obj", cell="0.1", more=""):
    return f"name: bad\nbodies:\n  - name: flesh\n    mesh: {mesh}\n    cell: {cell}\n{more}"


def stl(triangles_said, triangles_there):
    triangle = struct.pack("<12fH", *range(12), 0)
    return b"\0" * 80 + struct.pack("<I", triangles_said) + triangle * triangles_there


def ply(vertices_there):
    header = ("ply\nformat binary_little_endian 1.0\nelement vertex 9\nproperty float x\n"
              "property float y\nproperty float z\nelement face 1\n"
              "property list uchar int vertex_indices\nend_header\n")
    return header.encode() + struct.pack("<3f", 1, 2, 3) * vertices_there


def glb(nodes, said=None, offset=0, stride=12, count=4, **more):
    """A tetrahedron that every node shows; its JSON is said to have other bytes, or its numbers to lie
    elsewhere."""
    corners = struct.pack("<12f", 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1)
    faces = bytes([0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2])
    text = json.dumps({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": nodes,
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "type": "VEC3", "count": count},
                      {"bufferView": 1, "componentType": 5121, "type": "SCALAR", "count": 12}],
        "bufferViews": [{"buffer": 0, "byteOffset": offset, "byteLength": 48, "byteStride": stride},
                        {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
        "buffers": [{"byteLength": 60}], **more}).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + 60)
    return (head + struct.pack("<I4s", said or len(text), b"JSON") + text +
            struct.pack("<I4s", 60, b"BIN\0") + corners + faces)


def chain(links):
    """Each map merges the one before it, and so has all entries of all of them."""
    return "".join(f"m{i}: &m{i} {{k{i}: 1, <<: {f'*m{i - 1}' if i else '{}'}}}\n"
                   for i in range(links))


class Case:
    """`says` are patterns that the one error must match, each of them."""

    def __init__(self, name, says, status=WRONG, text=None, mesh=CUBE, mesh_name="mesh.obj",
                 folders=(), pipes=(), command="info", more_files=None, warnings=0,
                 arguments=("scene.yaml", "--picture", "picture.png")):
        self.name, self.says, self.status = name, says, status
        self.folders, self.pipes, self.warnings = folders, pipes, warnings
        self.arguments = command, *arguments
        self.files = {"scene.yaml": scene(mesh_name) if text is None else text}
        if mesh is not None:
            self.files[mesh_name] = mesh
        self.files.update(more_files or {})


def at(line, key):
    return rf"scene\.yaml:{line}:\d+: {re.escape(key)}: "


AT_MESH, AT_CELL = at(MESH_LINE, "bodies[0].mesh"), at(CELL_LINE, "bodies[0].cell")


def bad_mesh(name, says, mesh, mesh_name="mesh.obj"):
    """The message names the scene's line, the mesh, and the place in it."""
    return Case(name, [AT_MESH, re.escape(mesh_name), says], mesh=mesh, mesh_name=mesh_name)


def bad_cell(name, cell, says):
    return Case(name, [AT_CELL, says], text=scene(cell=cell))


def bad_shape(name, spec, says):
    return Case(name, [AT_MESH, re.escape(spec), says], text=scene(mesh=spec), mesh=None)


def bad_arguments(name, says, *arguments):
    return Case(name, [says], arguments=arguments)


def bad_picture(name, says, *arguments, **more):
    return Case(name, [says], status=MACHINE, arguments=("scene.yaml", *arguments), **more)


# What only a run reads. The first thing that is tied or in the way is on this line.
THING_LINE = 7
BVH = """\
HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 1 0
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 0 0 0 0 0
1 0 0 0 %s 0
"""
STILL = "1,0,0,0, 0,1,0,0, 0,0,1,0\n"
OPEN_CUBE = CUBE.replace("f 2 4 8 6\n", "")


def run_scene(things, thing):
    return scene(more=f"{things}:\n  - {thing}\nframes: {{first: 1, last: 4}}\n")


def bone(motion="{keys: [{frame: 1}]}", mesh="builtin:cube,size=0.5", body="flesh", place="[0.5, 0.5, 0.5]"):
    return run_scene("bones", f'{{name: Hips, body: {body}, mesh: "{mesh}", '
                              f"place: {{translate: {place}}}, motion: {motion}}}")


def collider(shape="{mesh: wall.obj}", motion="{keys: [{frame: 1}]}"):
    return run_scene("colliders", f"{{name: wall, shape: {shape}, motion: {motion}}}")


def bad_run(name, key, says, text, warnings=0, **files):
    """Files are named with _ for the dot."""
    files = {file.replace("_", "."): content for file, content in files.items()}
    return Case(name, [at(THING_LINE, key), *says], text=text, command="run",
                arguments=("scene.yaml",), more_files=files, warnings=warnings)


def bad_motion(name, motion, says, **files):
    kind = motion.strip("{").split(":")[0]
    return bad_run(name, f"bones[0].motion.{kind}", says, bone(motion), **files)


RUNS = [
    bad_run("a joint that is not there", "bones[0].motion.joint",
            [r'walk\.bvh has no joint "Knee"; it has: Hips'],
            bone("{bvh: walk.bvh, joint: Knee}"), walk_bvh=BVH % 0),
    bad_motion("no BVH file", "{bvh: walk.bvh}", [r"walk\.bvh: ", "No such file"]),
    bad_motion("too few channels", "{bvh: walk.bvh}", [r"walk\.bvh:\d+: "],
               walk_bvh=BVH % ""),
    bad_motion("NaN in a channel", "{bvh: walk.bvh}", [r"walk\.bvh:15: "],
               walk_bvh=BVH % "nan"),
    bad_motion("too few numbers in a CSV file", "{csv: walk.csv}", [r"walk\.csv:2: "],
               walk_csv=STILL + "1,0,0,0, 0,1,0,0, 0,0,1\n"),
    bad_motion("NaN in a CSV file", "{csv: walk.csv}", [r"walk\.csv:2: "],
               walk_csv=STILL + "1,0,0,nan, 0,1,0,0, 0,0,1,0\n"),
    bad_motion("empty CSV file", "{csv: walk.csv}", [r"walk\.csv: "], walk_csv=""),
    bad_motion("unknown built-in motion", "{builtin: tango}",
               ['no built-in motion "tango"', "there are: creature_walk"]),
    bad_run("unknown bone of a built-in motion", "bones[0].motion.joint",
            ['no bone "Hips"; it has: pelvis'], bone("{builtin: creature_walk}")),
    bad_run("a bone outside of its body", "bones[0]",
            ["no part of its surface lies in body 'flesh'"], bone(place="[0, 5, 0]")),
    bad_run("a bone of no body", "bones[0].body", ['name of a body, got "ghost"'],
            bone(body="ghost")),
    bad_run("a bone without faces", "bones[0].mesh", [r"bone\.obj: ", "empty"],
            bone(mesh="bone.obj"), bone_obj="v 0 0 0\n"),
    bad_run("an open collider", "colliders[0].shape.mesh",
            ["must be closed", "4 edges are open"], collider(), warnings=1,
            wall_obj=OPEN_CUBE),
    bad_run("an empty collider", "colliders[0].shape.mesh", [r"wall\.obj: ", "empty"], collider(),
            wall_obj=""),
    bad_run("no collider file", "colliders[0].shape.mesh", [r"wall\.obj: ", "No such file"],
            collider()),
    bad_run("a frame that is missing", "colliders[0].motion.sequence", [r"wall3\.obj", "missing"],
            collider("{mesh: wall1.obj}", '{sequence: "wall#.obj"}'),
            **{f"wall{i}_obj": CUBE for i in (1, 2, 4)}),
    bad_run("a sequence of nothing", "colliders[0].motion.sequence", [r"wall#\.obj"],
            collider("{mesh: wall1.obj}", '{sequence: "wall#.obj"}')),
    bad_run("a stretched sphere", "colliders[0].motion", ["must move rigidly", "frame 2"],
            collider("{sphere: {center: [9, 0, 0], radius: 1}}",
                     "{keys: [{frame: 1}, {frame: 2, affine: [2,0,0,0, 0,1,0,0, 0,0,1,0]}]}")),
]

def pin(motion):
    return run_scene("pins", "{name: base, body: flesh, region: {box: {min: [-1, -1, -1], "
                             f"max: [2, 0.2, 2]}}}}, motion: {motion}}}")


RUNS += [
    bad_run("a pin that leaves", "pins[0].motion", ["leads farther than", "frame 2"],
            pin("{keys: [{frame: 1}, {frame: 2, translate: [1.0e20, 0, 0]}]}")),
    bad_run("a pin that leaves all numbers", "pins[0].motion.keys[1].translate[0]",
            ["go up to 1e30"],
            pin("{keys: [{frame: 1}, {frame: 2, translate: [1.0e300, 0, 0]}]}")),
    bad_run("a pin that flattens", "pins[0].motion", ["flattens what it moves at frame 3"],
            pin("{keys: [{frame: 1}, {frame: 3, affine: [1,0,0,0, 0,0,0,0, 0,0,1,0]}]}")),
    bad_run("a bone that stretches beyond all measure", "bones[0].motion",
            ["stretches what it moves by more than 1e.30 at frame 2"], bone("{csv: wide.csv}"),
            wide_csv=STILL + "1e155,0,0,0, 0,1e155,0,0, 0,0,1e155,0\n"),
    bad_motion("nodes in nodes", "{gltf: deep.glb}", [r"deep\.glb", "more than 1000 levels"],
               deep_glb=glb([{"children": [i + 1]} for i in range(20000)] + [{"mesh": 0}],
                            animations=[{"channels": [], "samplers": []}])),
]

SCENES = [
    Case("missing scene", [r"missing\.yaml: ", "No such file"], arguments=("missing.yaml",)),
    Case("scene is a directory", [r"place: ", "directory"], folders=["place"],
         arguments=("place",)),
    Case("scene is a pipe", [r"pipe: is not a regular file"], pipes=["pipe"],
         arguments=("pipe",)),
    Case("empty scene", [r"scene\.yaml"], text=""),
    Case("not YAML", [r"scene\.yaml:2:\d+: not valid YAML"], text="name: [\n"),
    Case("no bodies", [r"scene\.yaml:1:\d+: ", "bodies"], text="name: alone\n"),
    Case("unknown key", [r"scene\.yaml:6:\d+: ", "gravitty"], text=scene(more="gravitty: 1\n")),
    Case("unknown inner key", [r"scene\.yaml:6:\d+: ", r"bodies\[0\]", "colour"],
         text=scene(more="    colour: red\n")),
    Case("wrong type", [at(6, "gravity")], text=scene(more="gravity: down\n")),
    Case("unknown law", [at(6, "bodies[0].material.law"), "one of corotated", "jelly"],
         text=scene(more="    material: {law: jelly}\n")),
    Case("wrong override", ["-P partition.method=magic: ", "curve"],
         arguments=("scene.yaml", "-P", "partition.method=magic")),
    bad_cell("cell of a wrong type", "small", "number"),
    bad_cell("cell zero", "0", "greater than 0"),
    bad_cell("cell negative", "-0.1", "greater than 0"),
    bad_cell("cell NaN", ".nan", "finite|greater than 0"),
    bad_cell("cell infinite", ".inf", "finite|greater than 0"),
    bad_cell("cell larger than the mesh", "1.5", "larger than the mesh"),
    bad_cell("cell too small", "1e-5", "too small.*65535"),
    bad_cell("cells that do not fit into memory", "2e-5", "surfaces pass through .*a cell of"),
    bad_cell("cells finer than numbers", "0.1\n    place: {translate: [1.0e15, 0, 0]}",
             "so far from the origin: numbers near 1e.15 are"),
    Case("stiffness that is none", [at(6, "bodies[0].material.young"), r"go up to 1e30"],
         text=scene(more="    material: {young: 1.0e300}\n")),
    Case("more bodies than keys have bits for", [r"bodies: expected .* at most 1024"],
         text="bodies:\n" + "".join(f"  - {{name: b{i}, mesh: mesh.obj, cell: 0.1}}\n"
                                    for i in range(33000))),
    Case("more pins than can be", [r"pins: expected .* at most 4096"],
         text=scene(more="pins:\n" + "  - {}\n" * 180000)),
    Case("merges of merges", [r"scene\.yaml:1:\d+: m0: unknown key"], text=chain(1000)),
    Case("merges without end", [r"scene\.yaml:\d+:\d+: ", "brings more than 1048576 entries"],
         text=chain(3000)),
    Case("aliases without end", [r"more than 1048576 entries in all lists"],
         text=scene(more="pins:\n  - name: p\n    body: flesh\n    region: {plane: {normal: [0, 1, 0]}}\n"
                    "    motion:\n      keys: [&k {frame: 1}" + ", *k" * 1100000 + "]\n")),
]

MESHES = [
    Case("missing mesh", [AT_MESH, r"mesh\.obj", "No such file"], mesh=None),
    Case("mesh is a directory", [AT_MESH, r"mesh\.obj", "is a directory"], mesh=None,
         folders=["mesh.obj"]),
    bad_mesh("empty file", "the file is empty", ""),
    bad_mesh("no faces", "empty mesh", "v 0 0 0\nv 1 0 0\n"),
    bad_mesh("unknown format", "unknown mesh format", "what?", "mesh.thing"),
    bad_mesh("NaN vertex", r"mesh\.obj:3: vertex 2", "v 0 0 0\n\nv 1 nan 0\n" + CUBE),
    bad_mesh("infinite vertex", r"mesh\.obj:1: vertex 1", "v inf 0 0\n" + CUBE),
    bad_mesh("flat sheet", "zero volume: all its faces have z = 2", SHEET),
    bad_mesh("single triangle", "zero volume", SLANTED_TRIANGLE),
    bad_mesh("two-sided sheet", "zero volume", TWO_SIDED_SHEET),
    bad_mesh("bad index", r"mesh\.obj:\d+: face 7", CUBE + "f 1 2 9\n"),
    bad_mesh("truncated STL", r"mesh\.stl: truncated: 5 facets .* only 2", stl(5, 2),
             "mesh.stl"),
    bad_mesh("truncated PLY", r"mesh\.ply:3: truncated: 9 rows of vertex", ply(4),
             "mesh.ply"),
    bad_mesh("glTF of 4 GB in 1 kB", "expected a whole part with JSON",
             glb([{"mesh": 0}], said=0xffffffff), "mesh.glb"),
    bad_mesh("glTF with nodes in nodes", "more than 1000 levels deep",
             glb([{"children": [i + 1]} for i in range(20000)] + [{"mesh": 0}]), "mesh.glb"),
    bad_mesh("glTF with an offset that wraps", "byteOffset: expected a whole number",
             glb([{"mesh": 0}], offset=2**64 - 8), "mesh.glb"),
    bad_mesh("glTF with rows that overlap", "rows that overlap", glb([{"mesh": 0}], stride=4),
             "mesh.glb"),
    bad_mesh("glTF with more than it has", "goes on after the end of its view",
             glb([{"mesh": 0}], count=2**53), "mesh.glb"),
    bad_shape("unknown shape", "builtin:cow", "cube, sphere"),
    bad_shape("unknown shape parameter", "builtin:cube,colour=1", "size, x, y, z, detail"),
    bad_shape("bad shape parameter", "builtin:sphere,radius=-1", "radius must be between"),
]

ARGUMENTS = [
    bad_arguments("no scene", "which scene"),
    bad_arguments("two scenes", "one scene, not 'scene.yaml' and 'other.yaml'", "scene.yaml",
                  "other.yaml"),
    bad_arguments("unknown option", "unknown option '--nonsense'", "scene.yaml", "--nonsense"),
    bad_arguments("override without value", "-P needs", "scene.yaml", "-P"),
    bad_arguments("picture without value", "--picture needs", "scene.yaml", "--picture"),
    bad_arguments("slice without value", "--slice needs", "scene.yaml", "--slice"),
    bad_arguments("bad slice", "--slice needs.*'w'", "scene.yaml", "--slice", "w"),
    bad_arguments("size without value", "--size needs", "scene.yaml", "--size"),
    bad_arguments("bad size", "--size needs.*'0x9'", "scene.yaml", "--size", "0x9"),
    bad_picture("picture in a missing directory", r"nowhere/picture\.png: .*No such file",
                "--picture", "nowhere/picture.png"),
    bad_picture("surface in a missing directory", r"nowhere/surface\.png: .*No such file",
                "--surface", "nowhere/surface.png"),
    bad_picture("picture in a file", r"mesh\.obj/picture\.png: .*Not a directory", "--picture",
                "mesh.obj/picture.png"),
    bad_arguments("picture of another kind", r"picture\.jpg: pictures are PNG files", "scene.yaml",
                  "--picture", "picture.jpg"),
    bad_picture("picture is a directory", r"place\.png: .*not a regular file", "--picture", "place.png",
                folders=["place.png"]),
    bad_picture("picture is a pipe", r"pipe\.png: .*not a regular file", "--picture",
                "pipe.png", pipes=["pipe.png"]),
]


class BadInput(program.ProgramTest):
    def check(self, case):
        """What is wrong with the program's answer, or nothing."""
        with tempfile.TemporaryDirectory(prefix="sinew-test-") as folder:
            for name in case.folders:
                os.mkdir(os.path.join(folder, name))
            for name in case.pipes:
                os.mkfifo(os.path.join(folder, name))
            program.write_files(folder, case.files)
            before = program.listing(folder)
            result = self.program.run(*case.arguments, ranks=self.ranks, folder=folder)
            after = program.listing(folder)
        lines = program.own_lines(result.errors)
        faults = []
        if result.status != case.status:
            faults.append(f"status {result.status}, not {case.status}")
        kinds = [re.search(" (warning|error): |$", line)[1] for line in lines]
        if kinds != case.warnings * ["warning"] + ["error"]:
            faults.append(f"{kinds} on standard error, not one error")
        faults += [f"no '{says}'" for says in case.says if not re.search(says, result.errors)]
        if result.output:
            faults.append(f"{len(result.output)} characters on standard output")
        if before != after:
            faults.append(f"files changed: {sorted(before)} -> {sorted(after)}")
        return "; ".join(faults) + (":\n" + result.errors if faults else "")

    def check_all(self, cases):
        if self.ranks:
            cases = cases[::SANITIZED_STEP if self.sanitized else RANKED_STEP]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
            for case, faults in zip(cases, workers.map(self.check, cases)):
                with self.subTest(case.name):
                    if faults:
                        self.fail(faults)

    def test_scenes(self):
        self.check_all(SCENES)

    def test_meshes(self):
        self.check_all(MESHES)

    def test_runs(self):
        self.check_all(RUNS)

    def test_arguments(self):
        self.check_all(ARGUMENTS)

    def test_the_good_one(self):
        """What all cases start from is fine, so each fails for its own reason only."""
        self.write({"scene.yaml": scene(), "mesh.obj": CUBE})
        result = self.info("scene.yaml", ranks=self.ranks)
        self.assertEqual((result.status, result.errors), (DONE, ""))
        self.assertIn("digest", result.output)


if __name__ == "__main__":
    program.main()
