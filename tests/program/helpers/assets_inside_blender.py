"""Runs in Blender, and writes to a file, as JSON, what caches make of the meshes that a run began with:

    blender -b --factory-startup --python assets_inside_blender.py -- FOLDER ANSWER FRAME NAME ...

For each mesh file NAME of the folder, whose cache is NAME with .pc2 after it, the positions of all
vertices at the frame, and of each corner of a face the vertex and the place in the texture."""

import json
import os
import sys

import bpy
import numpy

if not hasattr(numpy, "bool"):  # Debian 12's Blender imports glTF by a name that its numpy has lost
    numpy.bool = bool
folder, answer, frame, *names = sys.argv[sys.argv.index("--") + 1:]
as_it_is = {"forward_axis": "POS_Y", "up_axis": "POS_Z"}
turned = {"forward_axis": "POS_Z", "up_axis": "NEG_Y"}
readers = {
    ".gltf": (bpy.ops.import_scene.gltf, {}, turned),
    ".obj": (bpy.ops.wm.obj_import, {"forward_axis": "Y", "up_axis": "Z"}, as_it_is),
    ".ply": (bpy.ops.import_mesh.ply, {}, as_it_is),
    ".stl": (bpy.ops.import_mesh.stl, {}, as_it_is),
}


def only_mesh(name):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    reader, options, axes = readers[os.path.splitext(name)[1]]
    reader(filepath=os.path.join(folder, name), **options)
    thing, = (thing for thing in bpy.data.objects if thing.type == "MESH")
    return thing, axes


def with_cache(name):
    thing, axes = only_mesh(name)
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format, cache.filepath = "PC2", os.path.join(folder, name + ".pc2")
    cache.frame_start = 1
    cache.forward_axis, cache.up_axis = axes["forward_axis"], axes["up_axis"]
    return thing


def look(name):
    thing = with_cache(name)
    bpy.context.scene.frame_set(int(frame))
    made = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    uvs = made.uv_layers.active
    return {"positions": [tuple(thing.matrix_world @ vertex.co) for vertex in made.vertices],
            "corners": [(corner.vertex_index, tuple(uvs.data[corner.index].uv) if uvs else None)
                        for corner in made.loops]}


with open(answer, "w") as file:
    json.dump({name: look(name) for name in names}, file)
