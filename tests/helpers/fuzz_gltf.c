/* glTF, from files: as a mesh, as a motion, and as a character with its skin and skeleton. */
#include "helpers/base64.h"
#include "helpers/fuzz_targets.h"

#include "io/mesh/formats.h"
#include "io/motion/read.h"
#include "io/motion/rig.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATH_BYTES = 64 };

static void write_file(char path[PATH_BYTES], const char *data, size_t bytes)
{
    snprintf(path, PATH_BYTES, "/tmp/sinew_fuzz_%ld.gltf", (long)getpid());
    fuzz_write_bytes(path, data, bytes);
}

static sn_status read_mesh(const char *path)
{
    sn_mesh mesh;
    SN_TRY(sn_mesh_read_gltf(path, &mesh));
    for (int64_t t = 0; t < mesh.n_triangles; t++)
        for (int c = 0; c < 3; c++)
            if (mesh.triangle[t][c] < 0 || mesh.triangle[t][c] >= mesh.n_vertices)
                abort();
    sn_mesh_free(&mesh);
    return SN_OK;
}

sn_status fuzz_read_gltf(char *data, size_t bytes)
{
    char path[PATH_BYTES];
    sn_skeleton skeleton;
    write_file(path, data, bytes);
    sn_status shown = read_mesh(path);
    sn_status moved = sn_motion_read_gltf(path, NULL, &skeleton);
    if (moved == SN_OK)
        sn_skeleton_free(&skeleton);
    remove(path);
    return shown == SN_OK ? moved : shown;
}

/* As who makes bones of it would: every joint stands somewhere, at rest and later, on one before
 * it, and has its own part of the flesh. */
static void use(const sn_rig *rig)
{
    const sn_skeleton *s = &rig->skeleton;
    size_t n = s->joints.count, bones = 0;
    for (size_t j = 0; j < n; j++) {
        sn_affine rest = sn_skeleton_rest(s, (int)j);
        sn_skeleton_pose(s, (int)j, s->last / 2);
        bones += rig->is_bone[j];
        if (s->joints.data[j].parent >= (int)j || !sn_affine_is_finite(&rest) ||
            rig->first_vertex[j] > rig->first_vertex[j + 1])
            abort();
        for (size_t v = rig->first_vertex[j]; v < rig->first_vertex[j + 1]; v++)
            if (rig->flesh.data[v].joint != (int)j || !rig->is_bone[j])
                abort();
    }
    if (bones == 0 || rig->first_vertex[n] != rig->flesh.count)
        abort();
}

sn_status fuzz_read_rig(char *data, size_t bytes)
{
    char path[PATH_BYTES];
    sn_rig rig;
    write_file(path, data, bytes);
    sn_status status = sn_rig_read(path, NULL, NULL, SN_BVH_ADDED, &rig);
    if (status == SN_OK) {
        use(&rig);
        sn_rig_free(&rig);
    }
    sn_status shown = read_mesh(path);
    remove(path);
    return status == SN_OK ? shown : status;
}

/* ---- Seeds ---- */

/* All but the end of the JSON, and the numbers in its only buffer. */
typedef struct {
    const char *text;
    char numbers[512];
    size_t bytes;
} document;

static void put(document *d, const void *data, size_t bytes)
{
    memcpy(d->numbers + d->bytes, data, bytes);
    d->bytes += bytes;
}

static void put_tetrahedron(document *d)
{
    for (int v = 0; v < 4; v++)
        for (int c = 0; c < 3; c++)
            put(d, &(float){(float)sample_vertex[v][c]}, sizeof(float));
    for (int f = 0; f < 4; f++)
        for (int c = 0; c < 3; c++)
            put(d, &(char){(char)sample_face[f][c]}, 1);
}

static const char MOVED_TEXT[] =
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

static document moved(void)
{
    static const float key[2] = {0, 1}, shift[2][3] = {{0, 0, 0}, {1, 2, 3}};
    document d = {.text = MOVED_TEXT};
    put_tetrahedron(&d);
    put(&d, key, sizeof key);
    put(&d, shift, sizeof shift);
    return d;
}

/* An armature with two joints and a third node on them, one of which turns. */
static const char SKINNED_TEXT[] =
    "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,4]}],"
    "\"nodes\":[{\"name\":\"armature\",\"scale\":[0.5,0.5,0.5],\"children\":[1]},"
    "{\"name\":\"hip\",\"translation\":[0,1,0],\"children\":[2]},"
    "{\"name\":\"knee\",\"rotation\":[0,0,0,1],\"translation\":[1,0,0],\"children\":[3]},"
    "{\"name\":\"toe\"},{\"mesh\":0,\"skin\":0,\"translation\":[7,7,7]}],"
    "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":2,\"WEIGHTS_0\":3},"
    "\"indices\":1}]}],"
    "\"skins\":[{\"name\":\"man\",\"joints\":[1,2],\"inverseBindMatrices\":4,\"skeleton\":1}],"
    "\"animations\":[{\"name\":\"step\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,"
    "\"path\":"
    "\"rotation\"}}],\"samplers\":[{\"input\":5,\"output\":6,\"interpolation\":\"CUBICSPLINE\"}]}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5121,\"count\":12,\"type\":\"SCALAR\"},"
    "{\"bufferView\":2,\"componentType\":5121,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":3,\"componentType\":5126,\"count\":4,\"type\":\"VEC4\"},"
    "{\"bufferView\":4,\"componentType\":5126,\"count\":2,\"type\":\"MAT4\"},"
    "{\"bufferView\":5,\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"},"
    "{\"bufferView\":6,\"componentType\":5126,\"count\":3,\"type\":\"VEC4\"}],"
    "\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},{\"buffer\":0,\"byteOffset\":48,"
    "\"byteLength\":12},"
    "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":16},{\"buffer\":0,\"byteOffset\":76,"
    "\"byteLength\":64},"
    "{\"buffer\":0,\"byteOffset\":140,\"byteLength\":128},{\"buffer\":0,\"byteOffset\":268,"
    "\"byteLength\":4},"
    "{\"buffer\":0,\"byteOffset\":272,\"byteLength\":48}],\"buffers\":[{\"byteLength\":320";

static document skinned(void)
{
    static const char joints[4][4] = {{0}, {0}, {1}, {1}};
    static const float bind[2][16] = {
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1},
        {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, -1, 0, 1},
    };
    static const float time = 0.5f, turn[3][4] = {{0}, {0, 0, 0.6f, 0.8f}, {0}};
    document d = {.text = SKINNED_TEXT};
    put_tetrahedron(&d);
    put(&d, joints, sizeof joints);
    for (int v = 0; v < 4; v++)
        put(&d, (float[4]){1, 0, 0, 0}, sizeof(float[4]));
    put(&d, bind, sizeof bind);
    put(&d, &time, sizeof time);
    put(&d, turn, sizeof turn);
    return d;
}

static sample as_text(const document *d)
{
    sample s = sample_of_text(d->text);
    strcat(s.data, ",\"uri\":\"data:application/octet-stream;base64,");
    append_base64(s.data, d->numbers, d->bytes);
    strcat(s.data, "\"}]}");
    s.bytes = strlen(s.data);
    return s;
}

static sample as_glb(const document *d)
{
    sample s = sample_of_text("glTF");
    uint32_t json = (uint32_t)strlen(d->text) + 3, padding = (4 - json % 4) % 4;
    uint32_t bytes = (uint32_t)d->bytes;
    sample_put(&s, 2, 4, 0);
    sample_put(&s, 28 + json + padding + bytes, 4, 0);
    sample_put(&s, json + padding, 4, 0);
    memcpy(s.data + s.bytes, "JSON", 4);
    sprintf(s.data + s.bytes + 4, "%s}]}%.*s", d->text, (int)padding, "   ");
    s.bytes += 4 + json + padding;
    sample_put(&s, bytes, 4, 0);
    memcpy(s.data + s.bytes, "BIN\0", 4);
    memcpy(s.data + s.bytes + 4, d->numbers, d->bytes);
    s.bytes += 4 + d->bytes;
    return s;
}

sample fuzz_seed_gltf(int i)
{
    document d = moved();
    return i == 0 ? as_text(&d) : as_glb(&d);
}

sample fuzz_seed_rig(int i)
{
    document d = skinned();
    return i == 0 ? as_text(&d) : as_glb(&d);
}
