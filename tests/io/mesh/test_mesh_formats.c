/* The readers of OBJ, PLY and STL: what they take, what they refuse and with which words, and
 * that no garbage crashes them. */
#include "helpers/check.h"
#include "helpers/mesh_samples.h"

#include "io/mesh/formats.h"

#include <stdbool.h>
#include <stdlib.h>

typedef sn_status parser(const char *text, size_t bytes, const char *name, sn_mesh *mesh);

/* From an array of exactly the right size, so that the sanitizer sees every byte too far. */
static sn_status parse(parser *read, const char *data, size_t bytes, sn_mesh *mesh)
{
    char *exact = malloc(bytes + 1);
    memcpy(exact, data, bytes);
    exact[bytes] = '\0';
    sn_status status = read(exact, bytes, "sample", mesh);
    free(exact);
    return status;
}

/* STL numbers its vertices by first appearance: 0, 2, 1, 3 of the tetrahedron's. */
static void check_tetrahedron(const char *what, parser *read, sample s, bool is_welded)
{
    static const int own_order[4] = {0, 1, 2, 3}, first_seen[4] = {0, 2, 1, 3};
    const int *order = is_welded ? first_seen : own_order;
    sn_mesh mesh;
    sn_status status = parse(read, s.data, s.bytes, &mesh);
    CHECK(status == SN_OK, "%s: %s", what, sn_failure_message());
    CHECK(mesh.n_vertices == 4 && mesh.n_triangles == 4 && mesh.n_empty_faces == 0, "%s", what);
    if (mesh.n_vertices == 4 && mesh.n_triangles == 4) {
        for (int v = 0; v < 4; v++)
            CHECK(memcmp(mesh.vertex[v], sample_vertex[order[v]], sizeof mesh.vertex[v]) == 0,
                  "%s: vertex %d", what, v);
        for (int t = 0; t < 4; t++) {
            for (int c = 0; c < 3; c++)
                CHECK(order[mesh.triangle[t][c]] == sample_face[t][c], "%s: face %d", what, t);
            CHECK(mesh.face[t] == t + 1, "%s: face number %d", what, mesh.face[t]);
        }
    }
    sn_mesh_free(&mesh);
}

static void every_format_gives_the_same_mesh(void)
{
    check_tetrahedron("obj", sn_mesh_parse_obj, sample_obj(), false);
    check_tetrahedron("ascii ply", sn_mesh_parse_ply, sample_ply(1, 0), false);
    check_tetrahedron("little ply", sn_mesh_parse_ply, sample_ply(0, 0), false);
    check_tetrahedron("big ply", sn_mesh_parse_ply, sample_ply(0, 1), false);
    check_tetrahedron("ascii stl", sn_mesh_parse_stl, sample_stl_ascii(), true);
    check_tetrahedron("binary stl", sn_mesh_parse_stl, sample_stl_binary(), true);
}

/* A header with CR line ends whose binary body begins with a line feed byte. */
static void a_line_feed_may_be_data(void)
{
    sample s = sample_of_text("ply\rformat binary_little_endian 1.0\relement vertex 3\r"
                              "property char x\rproperty char y\rproperty char z\relement face 1\r"
                              "property list uchar uchar vertex_index\rend_header\r");
    const char body[] = {'\n', 0, 0, -2, 0, 0, 0, 3, 0, 3, 2, 1, 0};
    memcpy(s.data + s.bytes, body, sizeof body);
    sn_mesh mesh;
    sn_status status = parse(sn_mesh_parse_ply, s.data, s.bytes + sizeof body, &mesh);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    CHECK(status == SN_OK && mesh.vertex[0][0] == '\n' && mesh.vertex[1][0] == -2, "coordinates");
    sn_mesh_free(&mesh);
}

static void obj_numbers_are_exact(void)
{
    static const char *const numbers[] = {"0.1",
                                          "-1.5e-7",
                                          ".5",
                                          "5.",
                                          "1e22",
                                          "123456789012345678901234567890",
                                          "1E+5",
                                          "-0",
                                          "3e-320",
                                          "0x1.8p1",
                                          "+7.25",
                                          "0.30000000000000004",
                                          "1e-22",
                                          "9007199254740993",
                                          "2.2250738585072014e-308",
                                          "0.000000000000000000000000012"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char text[256];
        int n = snprintf(text, sizeof text, "f 1 2 3\nv %s 0 0\nv 0 1 0\nv 0 0 1\n", numbers[i]);
        sn_mesh mesh;
        sn_status status = parse(sn_mesh_parse_obj, text, (size_t)n, &mesh);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        CHECK(status == SN_OK && mesh.vertex[0][0] == strtod(numbers[i], NULL), "%s", numbers[i]);
        sn_mesh_free(&mesh);
    }
}

static void faces_are_triangulated_and_numbered(void)
{
    static const char text[] = "v 0 0 0\nv 2 -1 0\nv 0.5 0 0\nv 2 1 0\nv 9 9 9\n"
                               "f 1 2 3 4\n" /* concave: the diagonal must be 1-3 */
                               "f 2 3 4 1\n"
                               "f 1 2\nf 1 1 2\n" /* nothing */
                               "f 1 2 2 4\n"      /* a triangle after all */
                               "f 1 2 1 4\nf 4 2 1 2\nf 4 2 1 3 1\n";
    sn_mesh mesh;
    sn_status status = parse(sn_mesh_parse_obj, text, strlen(text), &mesh);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    static const int32_t faces[] = {1, 1, 2, 2, 5, 8};
    CHECK(mesh.n_triangles == 6 && memcmp(mesh.face, faces, sizeof faces) == 0, "face numbers");
    CHECK(mesh.n_empty_faces == 4 && mesh.first_empty_face == 3, "empty faces");
    CHECK(mesh.n_vertices == 5, "vertices are never dropped");
    for (int t = 0; t < 4; t++) {
        const double *a = mesh.vertex[mesh.triangle[t][0]], *b = mesh.vertex[mesh.triangle[t][1]],
                     *c = mesh.vertex[mesh.triangle[t][2]];
        CHECK((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0, "triangle %d", t);
    }
    sn_mesh_free(&mesh);
}

static void expect_failure(parser *read, const char *data, size_t bytes, const char *fragment)
{
    sn_mesh mesh = {.n_vertices = 99};
    sn_status status = parse(read, data, bytes, &mesh);
    CHECK(status == SN_BAD_INPUT, "status %d for '%s'", status, fragment);
    CHECK(strstr(sn_failure_message(), fragment), "'%s' in '%s'", fragment, sn_failure_message());
    CHECK(mesh.n_vertices == 0 && !mesh.vertex && !mesh.triangle && !mesh.face, "left empty");
}

static void expect_obj_failure(const char *text, const char *fragment)
{
    expect_failure(sn_mesh_parse_obj, text, strlen(text), fragment);
}

static void bad_obj_files_are_refused(void)
{
#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
    expect_obj_failure("# nothing\n", "empty mesh");
    expect_obj_failure(TRIANGLE, "empty mesh: the file has no faces");
    expect_obj_failure(TRIANGLE "f 1 2 2\nf 1\n", "no face has three different corners");
    expect_obj_failure("v 0 0 0\nv 1 nan 0\n", "sample:2: vertex 2 is not finite");
    expect_obj_failure("v 0 0 -inf\n", "sample:1: vertex 1 is not finite");
    expect_obj_failure("v 0 0 1e999\n", "sample:1: vertex 1 is not finite");
    expect_obj_failure("v 0 0\n", "sample:1: expected coordinate z of vertex 1, found \"\"");
    expect_obj_failure("\n\nv 0 1,5 0\n", "sample:3: expected coordinate y of vertex 1");
    expect_obj_failure(TRIANGLE "f 1 2 3\nf 1 2 4\n",
                       "sample:5: face 2 uses vertex 4, but the file has only 3");
    expect_obj_failure(TRIANGLE "f 0 1 2\n", "sample:4: face 1 uses vertex 0");
    expect_obj_failure(TRIANGLE "f -4 1 2\n", "sample:4: face 1 uses vertex -4, but only 3");
    expect_obj_failure(TRIANGLE "f 1 2 3000000000\n", "uses vertex 3000000000, but a mesh has");
    expect_obj_failure(TRIANGLE "f 1 2 99999999999999999999\n", "sample:4: expected a corner");
    expect_obj_failure(TRIANGLE "f 1 2 \\\n 3x\n", "sample:5: expected a corner of face 1");
    expect_obj_failure(TRIANGLE "f 1/1/1/1 2 3\n", "sample:4: expected a corner");
#undef TRIANGLE
}

static void expect_ply_failure(const char *header, const char *body, const char *fragment)
{
    char text[SAMPLE_BYTES];
    int n = snprintf(text, sizeof text, "%s%s", header, body);
    expect_failure(sn_mesh_parse_ply, text, (size_t)n, fragment);
}

static void bad_ply_files_are_refused(void)
{
#define XYZ "property float x\nproperty float y\nproperty float z\n"
#define FACES "property list uchar int vertex_indices\nend_header\n"
    static const char small[] =
        "ply\nformat ascii 1.0\nelement vertex 3\n" XYZ "element face 1\n" FACES;
    expect_ply_failure("plane\n", "", "sample:1: PLY header: expected \"ply\", found \"plane\"");
    expect_ply_failure("ply\nformat binary 1.0\n", "", "sample:2: PLY header: expected ascii");
    expect_ply_failure("ply\nformat ascii 1.0\n", "", "expected end_header");
    expect_ply_failure("ply\nelement vertex 0\n" XYZ "end_header\n", "", "format line");
    expect_ply_failure("ply\nformat ascii 1.0\nelement vertex -3\n", "", "sample:3: PLY header");
    expect_ply_failure("ply\nformat ascii 1.0\nproperty int x\n", "", "an element before");
    expect_ply_failure("ply\nformat ascii 1.0\nelement vertex 3\nproperty real x\n", "",
                       "sample:4: PLY header: expected a type");
    expect_ply_failure("ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nend_header\n", "",
                       "sample:3: PLY header: property y of element vertex is missing");
    expect_ply_failure("ply\nformat ascii 1.0\nelement vertex 9000000000000000000\n" XYZ
                       "element face 1\n" FACES,
                       "0 0 0\n", "sample:3: truncated: 9000000000000000000 rows of vertex");
    expect_ply_failure("ply\nformat binary_big_endian 1.0\nelement vertex 2\n" XYZ
                       "element face 1\n" FACES,
                       "0123456789", "sample:3: truncated: 2 rows of vertex");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n", "after 3 vertices and 0 faces");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n3 0 1", "sample:13: truncated");
    expect_ply_failure(small, "0 0 0\n1 x 0\n", "sample:11: expected a number, found \"x\"");
    expect_ply_failure(small, "0 0 0\n1 inf 0\n0 1 0\n3 0 1 2\n", "sample:11: vertex 1 is not");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "sample:13: face 1 uses vertex 3");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "face 1 uses vertex -1");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n3 0 1 .5\n", "expected a vertex index");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n400 0 1 2\n", "a list of 400 values");
    expect_ply_failure(small, "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", "no face has three");
    expect_ply_failure("ply\nformat ascii 1.0\nelement vertex 1\n" XYZ "end_header\n", "0 0 0\n",
                       "empty mesh");
#undef XYZ
#undef FACES
    sample binary = sample_ply(0, 0);
    expect_failure(sn_mesh_parse_ply, binary.data, binary.bytes - 6, "byte");
}

static void bad_stl_files_are_refused(void)
{
    sample binary = sample_stl_binary(), ascii = sample_stl_ascii();
    expect_failure(sn_mesh_parse_stl, binary.data, 60, "truncated: 60 bytes");
    expect_failure(sn_mesh_parse_stl, binary.data, binary.bytes - 1, "truncated: 4 facets");
    memset(binary.data + 80, 0xff, 4);
    expect_failure(sn_mesh_parse_stl, binary.data, binary.bytes, "4294967295 facets announced");
    memset(binary.data + 80, 0, 4);
    expect_failure(sn_mesh_parse_stl, binary.data, 84, "empty mesh");
    binary = sample_stl_binary();
    memset(binary.data + 84 + 50 + 12, 0xff, 4);
    expect_failure(sn_mesh_parse_stl, binary.data, binary.bytes,
                   "byte 146: vertex 3 is not finite");
    expect_failure(sn_mesh_parse_stl, ascii.data, 100, "expected");
    static const char odd[] = "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n";
    expect_failure(sn_mesh_parse_stl, odd, strlen(odd), "sample:4: expected three coordinates");
    static const char other[] = "solid x\nfacette normal 0 0 1\n";
    expect_failure(sn_mesh_parse_stl, other, strlen(other), "sample:2: expected \"facet\"");
    static const char none[] = "solid x\nendsolid x\n";
    expect_failure(sn_mesh_parse_stl, none, strlen(none), "empty mesh");
}

static void check_sane(const sn_mesh *mesh, sn_status status)
{
    CHECK(status == SN_OK || status == SN_BAD_INPUT, "status %d", status);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int c = 0; c < 3; c++)
            CHECK(mesh->triangle[t][c] >= 0 && mesh->triangle[t][c] < mesh->n_vertices, "index");
}

static size_t random_below(size_t n, unsigned long long *state)
{
    return (size_t)(test_random(state) * (double)n);
}

/* Bytes replaced at random or by characters that mean something, ends cut off, parts removed
 * or doubled. */
static void mutate(sample *s, unsigned long long *state)
{
    static const char loaded[] = "0123456789+-./eEnNiI# \\\r\n\tvf";
    int changes = 1 + (int)random_below(6, state);
    for (int i = 0; i < changes && s->bytes > 0; i++) {
        size_t at = random_below(s->bytes, state), length = random_below(s->bytes - at, state);
        switch (random_below(8, state)) {
        case 0:
            s->bytes = at;
            break;
        case 1:
            memmove(s->data + at, s->data + at + length, s->bytes - at - length);
            s->bytes -= length;
            break;
        case 2:
            length = length < SAMPLE_BYTES - s->bytes ? length : SAMPLE_BYTES - s->bytes;
            memmove(s->data + at + length, s->data + at, s->bytes - at);
            s->bytes += length;
            break;
        case 3:
        case 4:
            s->data[at] = (char)random_below(256, state);
            break;
        default:
            s->data[at] = loaded[random_below(sizeof loaded - 1, state)];
        }
    }
}

static void garbage_never_crashes(parser *read, sample valid)
{
    enum { ROUNDS = 3000 };
    unsigned long long state = 11;
    int accepted = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sample s = valid;
        mutate(&s, &state);
        sn_mesh mesh;
        sn_status status = parse(read, s.data, s.bytes, &mesh);
        check_sane(&mesh, status);
        accepted += status == SN_OK;
        sn_mesh_free(&mesh);
    }
    CHECK(accepted > 0 && accepted < ROUNDS, "%d accepted", accepted);
    for (size_t bytes = 0; bytes < valid.bytes; bytes++) {
        sn_mesh mesh;
        check_sane(&mesh, parse(read, valid.data, bytes, &mesh));
        sn_mesh_free(&mesh);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    every_format_gives_the_same_mesh();
    a_line_feed_may_be_data();
    obj_numbers_are_exact();
    faces_are_triangulated_and_numbered();
    bad_obj_files_are_refused();
    bad_ply_files_are_refused();
    bad_stl_files_are_refused();
    garbage_never_crashes(sn_mesh_parse_obj, sample_obj());
    garbage_never_crashes(sn_mesh_parse_ply, sample_ply(1, 0));
    garbage_never_crashes(sn_mesh_parse_ply, sample_ply(0, 0));
    garbage_never_crashes(sn_mesh_parse_ply, sample_ply(0, 1));
    garbage_never_crashes(sn_mesh_parse_stl, sample_stl_ascii());
    garbage_never_crashes(sn_mesh_parse_stl, sample_stl_binary());
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
