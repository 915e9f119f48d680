#include "helpers/fuzz_targets.h"

#include "helpers/base64.h"
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

/* ---- glTF, from files: both as a mesh and as a motion ---- */

void fuzz_write_bytes(const char *path, const char *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0)
        abort();
}

static sn_status read_gltf(char *data, size_t bytes)
{
    char path[64];
    sn_mesh mesh;
    sn_skeleton skeleton;
    snprintf(path, sizeof path, "/tmp/sinew_fuzz_%ld.gltf", (long)getpid());
    fuzz_write_bytes(path, data, bytes);
    sn_status shown = sn_mesh_read_gltf(path, &mesh);
    if (shown == SN_OK)
        sn_mesh_free(&mesh);
    sn_status moved = sn_motion_read_gltf(path, NULL, &skeleton);
    if (moved == SN_OK)
        sn_skeleton_free(&skeleton);
    remove(path);
    return shown == SN_OK ? moved : shown;
}

enum {
    CORNERS = 48,
    FACES = 12,
    KEYS = 8,
    SHIFTS = 24,
    GLTF_BYTES = CORNERS + FACES + KEYS + SHIFTS
};

static void fill_numbers(char numbers[GLTF_BYTES])
{
    static const float key[2] = {0, 1}, shift[2][3] = {{0, 0, 0}, {1, 2, 3}};
    for (int v = 0; v < 4; v++)
        for (int d = 0; d < 3; d++) {
            float coordinate = (float)sample_vertex[v][d];
            memcpy(numbers + 4 * (3 * v + d), &coordinate, sizeof coordinate);
        }
    for (int f = 0; f < 4; f++)
        for (int c = 0; c < 3; c++)
            numbers[CORNERS + 3 * f + c] = (char)sample_face[f][c];
    memcpy(numbers + CORNERS + FACES, key, sizeof key);
    memcpy(numbers + CORNERS + FACES + KEYS, shift, sizeof shift);
}

static const char gltf_text[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
    "\"nodes\":[{\"name\":\"a\",\"children\":[1,2],\"scale\":[1,2,1]},"
    "{\"mesh\":0,\"rotation\":[0,0,0,1]},{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1,\"mode\":4}]}],"
    "\"animations\":[{\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":"
    "\"translation\"}}],\"samplers\":[{\"input\":2,\"output\":3,\"interpolation\":\"LINEAR\"}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5121,\"count\":12,\"type\":\"SCALAR\"},"
    "{\"bufferView\":2,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},"
    "{\"bufferView\":3,\"byteOffset\":0,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48,\"byteStride\":12},"
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12},"
    "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":8},"
    "{\"buffer\":0,\"byteOffset\":68,\"byteLength\":24}],\"buffers\":[{\"byteLength\":92";

static sample seed_gltf_text(const char *numbers)
{
    sample s = sample_of_text(gltf_text);
    strcat(s.data, ",\"uri\":\"data:application/octet-stream;base64,");
    append_base64(s.data, numbers, GLTF_BYTES);
    strcat(s.data, "\"}]}");
    s.bytes = strlen(s.data);
    return s;
}

static sample seed_glb(const char *numbers)
{
    sample s = sample_of_text("glTF");
    uint32_t json = (uint32_t)strlen(gltf_text) + 3, padding = (4 - json % 4) % 4;
    sample_put(&s, 2, 4, 0);
    sample_put(&s, 28 + json + padding + GLTF_BYTES, 4, 0);
    sample_put(&s, json + padding, 4, 0);
    memcpy(s.data + s.bytes, "JSON", 4);
    sprintf(s.data + s.bytes + 4, "%s}]}%.*s", gltf_text, (int)padding, "   ");
    s.bytes += 4 + json + padding;
    sample_put(&s, GLTF_BYTES, 4, 0);
    memcpy(s.data + s.bytes, "BIN\0", 4);
    memcpy(s.data + s.bytes + 4, numbers, GLTF_BYTES);
    s.bytes += 4 + GLTF_BYTES;
    return s;
}

static sample seed_gltf(int i)
{
    char numbers[GLTF_BYTES];
    fill_numbers(numbers);
    return i == 0 ? seed_gltf_text(numbers) : seed_glb(numbers);
}

const fuzz_target fuzz_targets[FUZZ_TARGETS] = {
    {"scene", read_scene, 3, seed_scene},
    {"obj", read_obj, 2, seed_obj},
    {"ply", read_ply, 3, seed_ply},
    {"stl", read_stl, 2, seed_stl},
    {"bvh", read_bvh, 1, seed_bvh},
    {"csv", read_csv, 2, seed_csv},
    {"gltf", read_gltf, 2, seed_gltf},
    {"owner", fuzz_read_owner, 2, fuzz_seed_owner},
    {"manifest", fuzz_read_manifest, 1, fuzz_seed_manifest},
    {"frame", fuzz_read_frame, 2, fuzz_seed_frame},
    {"rows", fuzz_read_rows, 1, fuzz_seed_rows},
    {"faults", fuzz_read_faults, 1, fuzz_seed_faults},
};
