"""Runs in Blender, and writes what that makes of a run's exports to a file, as JSON:

    blender -b --factory-startup --python inside_blender.py -- RUN_DIR ANSWER STEP FPS FRAME ...

`obj` and `ply` have positions and faces of each frame; `pc2` and `mdd` the positions of each frame
and, before and after these, of one more; `mdd_times` those at the frames' times in seconds."""

import json
import os
import sys

import bpy

read_ply = bpy.ops.wm.ply_import if bpy.app.version >= (4, 0, 0) else bpy.ops.import_mesh.ply
run_dir, answer, step, fps, *frames = sys.argv[sys.argv.index("--") + 1:]
step, fps, frames = int(step), float(fps), [int(frame) for frame in frames]


def only_object(reader, name, **axes):
    """What a file gives in an empty scene: one mesh, however many bodies there are."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    reader(filepath=os.path.join(run_dir, name), **axes)
    thing, = bpy.data.objects
    return thing


def positions(thing):
    """As they are drawn: with modifiers, in the world."""
    thing = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [tuple(thing.matrix_world @ vertex.co) for vertex in thing.to_mesh().vertices]


def mesh(*arguments, **axes):
    thing = only_object(*arguments, **axes)
    return positions(thing), [tuple(face.vertices) for face in thing.data.polygons]


def with_cache(form):
    """The first frame with a modifier that replaces its positions; its axes are left alone."""
    thing = only_object(read_ply, f"surface_{frames[0]:04}.ply")
    cache = thing.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = form.upper()
    cache.filepath = os.path.join(run_dir, f"surface.{form}")
    cache.frame_scale, cache.frame_start = 1 / step, frames[0] / step
    return thing, cache


def at_frames(form):
    thing, _ = with_cache(form)
    found = []
    for frame in (frames[0] - step, *frames, frames[-1] + step):
        bpy.context.scene.frame_set(frame)
        found.append(positions(thing))
    return found


def at_times(form):
    thing, cache = with_cache(form)
    cache.play_mode, cache.time_mode = "CUSTOM", "TIME"
    found = []
    for frame in frames:
        cache.eval_time = (frame - frames[0]) / fps
        found.append(positions(thing))
    return found


made = {
    "obj": [mesh(bpy.ops.wm.obj_import, f"surface_{frame:04}.obj", forward_axis="Y", up_axis="Z")
            for frame in frames],
    "ply": [mesh(read_ply, f"surface_{frame:04}.ply") for frame in frames],
    "pc2": at_frames("pc2"),
    "mdd": at_frames("mdd"),
    "mdd_times": at_times("mdd"),
}
with open(answer, "w") as file:
    json.dump(made, file)
