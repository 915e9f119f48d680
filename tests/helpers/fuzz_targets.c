#include "helpers/fuzz_targets.h"

#include "helpers/scene_text.h"

#include "io/mesh/formats.h"
#include "io/motion/read.h"

#include <stdlib.h>

/* ---- Scenes ---- */

static sn_status read_scene(char *data, size_t bytes)
{
    sn_scene scene;
    SN_TRY(sn_scene_read_text("fuzz.yaml", data, bytes, &scene));
    sn_scene_free(&scene);
    return SN_OK;
}

static sample seed_scene(int i)
{
    static const char *const scenes[] = {
        example_scene,
        "bodies: [&a {name: a, mesh: m, cell: 1, material: &m {young: 1}}, "
        "{<<: *a, name: b, material: {<<: [*m, {poisson: 0.3}], density: 2}}]\n",
        "bodies:\n- name: \"a b\"\n  mesh: >-\n    m\n  cell: 1e-2\ncamera: {}\nrender: {}\n"};
    return sample_of_text(scenes[i]);
}

/* ---- Meshes ---- */

static sn_status read_mesh(sn_status parse(const char *, size_t, const char *, sn_mesh *),
                           const char *data, size_t bytes)
{
    sn_mesh mesh;
    SN_TRY(parse(data, bytes, "fuzz", &mesh));
    sn_mesh_free(&mesh);
    return SN_OK;
}

static sn_status read_obj(char *data, size_t bytes)
{
    return read_mesh(sn_mesh_parse_obj, data, bytes);
}

static sn_status read_ply(char *data, size_t bytes)
{
    return read_mesh(sn_mesh_parse_ply, data, bytes);
}

static sn_status read_stl(char *data, size_t bytes)
{
    return read_mesh(sn_mesh_parse_stl, data, bytes);
}

static sample seed_obj(int i)
{
    return i == 0 ? sample_obj()
                  : sample_of_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf -1 -2 -3\n");
}

static sample seed_ply(int i)
{
    return sample_ply(i == 0, i == 2);
}

static sample seed_stl(int i)
{
    return i == 0 ? sample_stl_ascii() : sample_stl_binary();
}

/* ---- Motions ---- */

static sn_status read_bvh(char *data, size_t bytes)
{
    sn_skeleton skeleton;
    SN_TRY(sn_motion_parse_bvh(data, bytes, "fuzz", 0, &skeleton));
    sn_skeleton_free(&skeleton);
    return SN_OK;
}

static sn_status read_csv(char *data, size_t bytes)
{
    sn_skeleton skeleton;
    SN_TRY(sn_motion_parse_csv(data, bytes, "fuzz", &skeleton));
    sn_skeleton_free(&skeleton);
    return SN_OK;
}

static sample seed_bvh(int i)
{
    (void)i;
    return sample_of_text(
        "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n  CHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\n  JOINT Knee\n  {\n    OFFSET 0 -1 0\n    CHANNELS 1 "
        "Xrotation\n    End Site\n    {\n      OFFSET 0 1 0\n    }\n  }\n}\nMOTION\nFrames: 2\n"
        "Frame Time: 0.04\n0 0 0 0 0 0 3\n1 0 0 0 90 0 5\n");
}

static sample seed_csv(int i)
{
    return sample_of_text(i == 0 ? "# a comment\nxx,xy,xz,x\n1,0,0,0, 0,1,0,0, 0,0,1,0\n"
                                   "1;0;0;2; 0;1;0;0; 0;0;1;0\n"
                                 : "1 0 0 0 0 1 0 0 0 0 1 0\r\n\r\n2 0 0 0 0 2 0 0 0 0 2 0\r\n");
}

/* ---- Files ---- */

void fuzz_write_bytes(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
        abort();
}

const fuzz_target fuzz_targets[FUZZ_TARGETS] = {
    {"scene", read_scene, 3, seed_scene, false},
    {"obj", read_obj, 2, seed_obj, false},
    {"ply", read_ply, 3, seed_ply, false},
    {"stl", read_stl, 2, seed_stl, false},
    {"bvh", read_bvh, 1, seed_bvh, false},
    {"csv", read_csv, 2, seed_csv, false},
    {"gltf", fuzz_read_gltf, 2, fuzz_seed_gltf, false},
    {"rig", fuzz_read_rig, 2, fuzz_seed_rig, false},
    {"owner", fuzz_read_owner, 2, fuzz_seed_owner, false},
    {"manifest", fuzz_read_manifest, 1, fuzz_seed_manifest, false},
    {"frame", fuzz_read_frame, 2, fuzz_seed_frame, false},
    {"meshes", fuzz_read_meshes, 2, fuzz_seed_meshes, false},
    {"cells", fuzz_read_cells, 1, fuzz_seed_cells, true},
    {"rows", fuzz_read_rows, 1, fuzz_seed_rows, false},
    {"faults", fuzz_read_faults, 1, fuzz_seed_faults, false},
};
