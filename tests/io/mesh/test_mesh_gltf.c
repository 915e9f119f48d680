/* Meshes from glTF files that are written here: primitives of all kinds against the solid that they
 * are of, and files that lie about their lengths, offsets, strides, counts and depths. */
#include "helpers/motion_files.h"

#include "io/mesh/read.h"
#include "io/motion/read.h"
#include "mesh/check.h"

enum { TEXT_BYTES = 4 << 20, DEEP = 20000 };

/* A tetrahedron: four corners, then its faces as triangles, as a strip and as a fan with a bottom,
 * in indices of one, two and four bytes. */
static const float corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const unsigned char list8[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
static const unsigned short strip16[6] = {0, 2, 1, 3, 0, 2};
static const unsigned fan32[8] = {3, 0, 1, 2, 0, 0, 2, 1};

enum { LIST_AT = 48, STRIP_AT = 60, FAN_AT = 72, BUFFER_BYTES = 104 };

static void fill_buffer(char buffer[BUFFER_BYTES])
{
    memcpy(buffer, corner, sizeof corner);
    memcpy(buffer + LIST_AT, list8, sizeof list8);
    memcpy(buffer + STRIP_AT, strip16, sizeof strip16);
    memcpy(buffer + FAN_AT, fan32, sizeof fan32);
}

/* A binary file: its JSON is said to have so many bytes, or as many as it has. */
static void write_glb(const char *name, const char *json, unsigned said)
{
    static char file[TEXT_BYTES + 256];
    char buffer[BUFFER_BYTES];
    unsigned bytes = (unsigned)strlen(json);
    fill_buffer(buffer);
    unsigned head[5] = {0x46546C67, 2, 28 + bytes + BUFFER_BYTES, said ? said : bytes, 0x4E4F534A};
    unsigned next[2] = {BUFFER_BYTES, 0x004E4942};
    memcpy(file, head, sizeof head);
    memcpy(file + 20, json, bytes);
    memcpy(file + 20 + bytes, next, sizeof next);
    memcpy(file + 28 + bytes, buffer, BUFFER_BYTES);
    write_bytes(name, file, head[2]);
}

/* What of the file changes from case to case. */
typedef struct {
    const char *nodes, *primitives, *position_view, *positions, *indices;
} parts;

static const parts good = {
    .nodes = "{\"mesh\":0}",
    .primitives = "{\"attributes\":{\"POSITION\":0},\"indices\":1}",
    .position_view = "\"byteLength\":48",
    .positions = "\"count\":4",
    .indices = "\"bufferView\":1,\"componentType\":5121,\"count\":12",
};

static const char *json_of(parts p)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],\"nodes\":[%s],"
             "\"meshes\":[{\"primitives\":[%s]}],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\",%s},"
             "{\"type\":\"SCALAR\",%s}],"
             "\"bufferViews\":[{\"buffer\":0,%s},"
             "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":12},"
             "{\"buffer\":0,\"byteOffset\":60,\"byteLength\":12},"
             "{\"buffer\":0,\"byteOffset\":72,\"byteLength\":32}],"
             "\"buffers\":[{\"byteLength\":104}]}",
             p.nodes, p.primitives, p.positions, p.indices, p.position_view);
    return text;
}

static void check_solid(const char *what, parts p, double volume, double most_x)
{
    sn_mesh mesh;
    write_glb("a.glb", json_of(p), 0);
    sn_status status = sn_mesh_read(file_in_folder("a.glb").text, &mesh);
    CHECK(status == SN_OK, "%s: %s", what, sn_failure_message());
    if (status == SN_OK) {
        sn_mesh_report report = sn_mesh_check(&mesh);
        CHECK(report.closed_chain && fabs(report.volume - volume) < 1e-6, "%s: volume %g", what,
              report.volume);
        CHECK(fabs(report.bounds.max[0] - most_x) < 1e-6, "%s: to %g", what, report.bounds.max[0]);
        sn_mesh_free(&mesh);
    }
    remove_file("a.glb");
}

/* The strip's first and last triangle would be one too few or too many: six corners, four faces. */
static void primitives_of_all_kinds(void)
{
    parts strip = good, fan = good, deep = good, mirrored = good;
    check_solid("triangles", good, 1.0 / 6, 1);
    strip.primitives = "{\"mode\":5,\"attributes\":{\"POSITION\":0},\"indices\":1}";
    strip.indices = "\"bufferView\":2,\"componentType\":5123,\"count\":6";
    check_solid("a strip", strip, 1.0 / 6, 1);
    fan.primitives = "{\"mode\":6,\"attributes\":{\"POSITION\":0},\"indices\":1},"
                     "{\"attributes\":{\"POSITION\":0},\"indices\":2},"
                     "{\"mode\":0,\"attributes\":{\"POSITION\":0}}";
    fan.indices = "\"bufferView\":3,\"componentType\":5125,\"count\":5},"
                  "{\"type\":\"SCALAR\",\"bufferView\":3,\"byteOffset\":20,"
                  "\"componentType\":5125,\"count\":3";
    check_solid("a fan, a bottom, and points", fan, 1.0 / 6, 1);
    deep.nodes = "{\"children\":[1],\"scale\":[2,2,2]},{\"children\":[2],"
                 "\"rotation\":[0,0,0.70710678,0.70710678]},"
                 "{\"mesh\":0,\"matrix\":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,-3,0,1]}";
    check_solid("nodes in nodes", deep, 8.0 / 6, 6);
    mirrored.nodes = "{\"mesh\":0,\"scale\":[-1,1,1]}";
    check_solid("a mirror image", mirrored, 1.0 / 6, 0);
}

static void refuse_file(const char *what, const char *name, const char *message)
{
    sn_mesh mesh;
    size_t held = sn_memory_held();
    sn_status status = sn_mesh_read(file_in_folder(name).text, &mesh);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), message) &&
              strstr(sn_failure_message(), name),
          "%s: status %d: %s", what, status, sn_failure_message());
    CHECK(!mesh.vertex && sn_memory_held() == held, "%s: nothing is left", what);
    sn_mesh_free(&mesh);
}

static void refuse(parts p, const char *message)
{
    write_glb("bad.glb", json_of(p), 0);
    refuse_file(message, "bad.glb", message);
    remove_file("bad.glb");
}

#define REFUSE(part, text, message)                                                                \
    do {                                                                                           \
        parts changed = good;                                                                      \
        changed.part = text;                                                                       \
        refuse(changed, message);                                                                  \
    } while (0)

static void lies_are_refused(void)
{
    REFUSE(position_view, "\"byteLength\":48,\"byteOffset\":18446744073709551608", "byteOffset");
    REFUSE(position_view, "\"byteLength\":48,\"byteOffset\":9007199254740984", "end of its buffer");
    REFUSE(position_view, "\"byteLength\":105", "end of its buffer");
    REFUSE(position_view, "\"byteLength\":48,\"byteStride\":4", "overlap");
    REFUSE(position_view, "\"byteLength\":48,\"byteStride\":9007199254740992", "too far apart");
    REFUSE(position_view, "\"byteLength\":48,\"byteStride\":16", "end of its view");
    REFUSE(positions, "\"count\":5", "end of its view");
    REFUSE(positions, "\"count\":4,\"byteOffset\":18446744073709551608", "byteOffset");
    REFUSE(positions, "\"count\":4,\"byteOffset\":4", "end of its view");
    REFUSE(positions, "\"count\":9007199254740992", "end of its view");
    REFUSE(positions, "\"count\":1e300", "whole number");
    REFUSE(positions, "\"count\":3", "uses vertex 3 of a mesh that has only 3");
    REFUSE(indices, "\"bufferView\":1,\"componentType\":5120,\"count\":12", "unsigned");
    REFUSE(indices, "\"bufferView\":9,\"componentType\":5121,\"count\":12", "bufferViews[9]");
    REFUSE(indices, "\"bufferView\":1,\"componentType\":77,\"count\":12", "unknown type");
    REFUSE(indices, "\"bufferView\":1,\"componentType\":5121,\"count\":12,\"sparse\":{}", "sparse");
    REFUSE(primitives, "{\"attributes\":{}}", "POSITION");
    REFUSE(primitives, "{\"mode\":7,\"attributes\":{\"POSITION\":0}}", "unknown mode 7");
    REFUSE(nodes, "{\"mesh\":1}", "meshes[1]");
    REFUSE(nodes, "{\"mesh\":0,\"children\":[0]}", "several places");
    REFUSE(nodes, "{\"mesh\":0,\"children\":[-1]}", "is no node");
    REFUSE(nodes, "{\"mesh\":0,\"scale\":[1e300,1,1e999]}", "finite");
    REFUSE(nodes, "{\"mesh\":0,\"rotation\":[0,0,0,0]}", "without a length");
    REFUSE(nodes, "{}", "no faces");
}

static void chunks_that_lie_are_refused(void)
{
    write_glb("long.glb", json_of(good), 0xffffffff);
    refuse_file("JSON of 4 GB", "long.glb", "expected a whole part with JSON");
    remove_file("long.glb");
    write_text("old.gltf", "{\"asset\":{\"version\":\"1.0\"},\"nodes\":{}}");
    refuse_file("version 1", "old.gltf", "version 2");
    remove_file("old.gltf");
}

/* Node hangs on node, and all of them show the mesh or are moved. */
static void make_deep(char *text, int n, bool moved)
{
    char *at = text + sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0]}],"
                                    "\"nodes\":[");
    for (int i = 0; i < n; i++)
        at += sprintf(at, i + 1 < n ? "{\"mesh\":0,\"children\":[%d]}," : "{\"mesh\":0}]", i + 1);
    at += sprintf(at, ",\"meshes\":[{\"primitives\":[]}]");
    if (moved)
        at += sprintf(at, ",\"animations\":[{\"channels\":[],\"samplers\":[]}]");
    sprintf(at, "}");
}

static void deep_nodes_are_refused(void)
{
    static char text[TEXT_BYTES];
    sn_skeleton skeleton;
    make_deep(text, DEEP, true);
    write_text("deep.gltf", text);
    refuse_file("deep", "deep.gltf", "more than 1000 levels deep");
    sn_status status = sn_motion_read_gltf(file_in_folder("deep.gltf").text, NULL, &skeleton);
    CHECK(status == SN_BAD_INPUT && strstr(sn_failure_message(), "more than 1000 levels deep"),
          "%s", sn_failure_message());
    make_deep(text, 1000, true);
    write_text("deep.gltf", text);
    status = sn_motion_read_gltf(file_in_folder("deep.gltf").text, NULL, &skeleton);
    CHECK(status == SN_OK && skeleton.joints.count == 1000, "%s", sn_failure_message());
    sn_skeleton_free(&skeleton);
    remove_file("deep.gltf");
}

/* Many nodes and many primitives show one small mesh: a product that a file can make large. */
static void refuse_copies_of(const char *primitive, const char *message)
{
    enum { NODES = 3000, PRIMITIVES = 1000 };
    static char text[TEXT_BYTES];
    char *at = text + sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"scenes\":[{\"nodes\":[0");
    for (int i = 1; i < NODES; i++)
        at += sprintf(at, ",%d", i);
    at += sprintf(at, "]}],\"nodes\":[{\"mesh\":0}");
    for (int i = 1; i < NODES; i++)
        at += sprintf(at, ",{\"mesh\":0}");
    at += sprintf(at, "],\"meshes\":[{\"primitives\":[");
    for (int i = 0; i < PRIMITIVES; i++)
        at += sprintf(at, "%s%s", i ? "," : "", primitive);
    sprintf(at, "]}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"type\":\"VEC3\","
                "\"count\":4}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48}],"
                "\"buffers\":[{\"byteLength\":104}]}");
    write_glb("many.glb", text, 0);
    refuse_file("many", "many.glb", message);
    remove_file("many.glb");
}

static void endless_copies_are_refused(void)
{
    refuse_copies_of("{\"attributes\":{\"POSITION\":0}}", "vertices or corners");
    refuse_copies_of("{\"mode\":0}", "primitives");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    make_folder();
    primitives_of_all_kinds();
    lies_are_refused();
    chunks_that_lie_are_refused();
    deep_nodes_are_refused();
    endless_copies_are_refused();
    remove_folder();
}

int main(int argc, char **argv)
{
    return test_main_freeing(argc, argv, run);
}
