/* What sn_mesh_check finds, against cubes broken by hand and a brute-force count. */
#include "helpers/check.h"

#include "mesh/check.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

enum { MOST_TRIANGLES = 64, MOST_VERTICES = 64 };

typedef struct {
    double vertex[MOST_VERTICES][3];
    int32_t triangle[MOST_TRIANGLES][3];
    int32_t face[MOST_TRIANGLES];
    int n_vertices, n_triangles;
} small_mesh;

static sn_mesh view_of(small_mesh *small)
{
    return (sn_mesh){.n_vertices = small->n_vertices,
                     .n_triangles = small->n_triangles,
                     .vertex = small->vertex,
                     .triangle = small->triangle,
                     .face = small->face};
}

static void add_triangle(small_mesh *small, int32_t a, int32_t b, int32_t c)
{
    int t = small->n_triangles++;
    memcpy(small->triangle[t], (int32_t[3]){a, b, c}, sizeof small->triangle[t]);
    small->face[t] = t + 1;
}

/* Vertex v of the cube is the corner with the bits of v as coordinates. */
static small_mesh unit_cube(void)
{
    static const int32_t quad[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                       {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    small_mesh cube = {.n_vertices = 8};
    for (int v = 0; v < 8; v++)
        for (int d = 0; d < 3; d++)
            cube.vertex[v][d] = v >> d & 1;
    for (int q = 0; q < 6; q++) {
        add_triangle(&cube, quad[q][0], quad[q][1], quad[q][2]);
        add_triangle(&cube, quad[q][0], quad[q][2], quad[q][3]);
    }
    return cube;
}

static sn_mesh_report check_small(small_mesh *small)
{
    sn_mesh mesh = view_of(small);
    return sn_mesh_check(&mesh);
}

static int64_t edge_findings(const sn_mesh_report *r)
{
    return r->boundary.count + r->nonmanifold.count + r->misoriented.count;
}

static void a_cube_is_clean(void)
{
    small_mesh cube = unit_cube();
    sn_mesh_report r = check_small(&cube);
    CHECK(edge_findings(&r) == 0 && r.degenerate.count == 0 && r.duplicate.count == 0, "dirt");
    CHECK(r.closed_chain && r.components == 1 && r.unused_vertices == 0, "one closed part");
    CHECK(fabs(r.volume - 1) < 1e-14 && fabs(r.area - 6) < 1e-14, "%g %g", r.volume, r.area);
    sn_mesh mesh = view_of(&cube);
    CHECK(sn_mesh_require_solid("cube", &mesh, &r) == SN_OK, "%s", sn_failure_message());
}

static void each_kind_of_dirt_is_found(void)
{
    small_mesh cube = unit_cube();
    cube.n_triangles = 11;
    sn_mesh_report r = check_small(&cube);
    CHECK(r.boundary.count == 3 && r.boundary.first_face == 3, "a hole: %d", r.boundary.first_face);
    CHECK(!r.closed_chain && edge_findings(&r) == 3, "open");
    sn_mesh mesh = view_of(&cube);
    CHECK(sn_mesh_require_solid("cube", &mesh, &r) == SN_OK, "open meshes are welcome");

    cube = unit_cube();
    int32_t swap = cube.triangle[4][1];
    cube.triangle[4][1] = cube.triangle[4][2];
    cube.triangle[4][2] = swap;
    r = check_small(&cube);
    CHECK(r.misoriented.count == 3 && r.misoriented.first_face == 2, "flipped");
    CHECK(edge_findings(&r) == 3 && !r.closed_chain, "only that");

    cube = unit_cube();
    add_triangle(&cube, cube.triangle[7][1], cube.triangle[7][0], cube.triangle[7][2]);
    r = check_small(&cube);
    CHECK(r.duplicate.count == 1 && r.duplicate.first_face == 13, "the later one");
    CHECK(r.nonmanifold.count == 3 && edge_findings(&r) == 3 && !r.closed_chain, "three faces");

    cube = unit_cube();
    add_triangle(&cube, 0, 1, 1);
    cube.n_vertices = 10;
    memcpy(cube.vertex[8], (double[3]){0, 0.5, 0}, sizeof cube.vertex[8]);
    add_triangle(&cube, 0, 8, 2);
    r = check_small(&cube);
    CHECK(r.degenerate.count == 2 && r.degenerate.first_face == 13, "no area");
    CHECK(r.unused_vertices == 1, "vertex 9: %d", (int)r.unused_vertices);
}

static void degenerate_and_duplicate_faces_count_once(void)
{
    small_mesh cube = unit_cube();
    for (int t = 0; t < 12; t++)
        cube.face[t] = t / 2 + 1;
    add_triangle(&cube, 1, 3, 2);
    add_triangle(&cube, 0, 1, 2);
    cube.face[12] = cube.face[13] = 7;
    sn_mesh_report r = check_small(&cube);
    CHECK(r.duplicate.count == 0, "the other diagonal: %d", (int)r.duplicate.count);
    memcpy(cube.triangle[12], cube.triangle[0], sizeof cube.triangle[0]);
    memcpy(cube.triangle[13], cube.triangle[1], sizeof cube.triangle[1]);
    r = check_small(&cube);
    CHECK(r.duplicate.count == 1 && r.duplicate.first_face == 7, "one quad, two triangles");
    sn_mesh mesh = view_of(&cube);
    mesh.n_empty_faces = 3;
    mesh.first_empty_face = 4;
    r = sn_mesh_check(&mesh);
    CHECK(r.degenerate.count == 3 && r.degenerate.first_face == 4, "left out by the reader");
}

static void split_vertices_are_closed(void)
{
    small_mesh cube = unit_cube(), split = {0};
    for (int t = 0; t < cube.n_triangles; t++) {
        for (int c = 0; c < 3; c++)
            memcpy(split.vertex[split.n_vertices++], cube.vertex[cube.triangle[t][c]],
                   sizeof split.vertex[0]);
        add_triangle(&split, 3 * t, 3 * t + 1, 3 * t + 2);
    }
    split.vertex[0][0] = -0.0; /* equals 0 */
    sn_mesh_report r = check_small(&split);
    CHECK(r.closed_chain && edge_findings(&r) == 0 && r.components == 1, "welded by position");
}

static void two_cubes_are_two_components(void)
{
    small_mesh both = unit_cube();
    for (int v = 0; v < 8; v++)
        for (int d = 0; d < 3; d++)
            both.vertex[8 + v][d] = both.vertex[v][d] + 0.5;
    both.n_vertices = 16;
    for (int t = 0; t < 12; t++)
        add_triangle(&both, both.triangle[t][0] + 8, both.triangle[t][1] + 8,
                     both.triangle[t][2] + 8);
    sn_mesh_report r = check_small(&both);
    CHECK(r.components == 2 && r.closed_chain, "%d", (int)r.components);
}

static void expect_refusal(small_mesh *small, const char *fragment)
{
    sn_mesh mesh = view_of(small);
    sn_mesh_report r = sn_mesh_check(&mesh);
    sn_status status = sn_mesh_require_solid("sheet.obj", &mesh, &r);
    CHECK(status == SN_BAD_INPUT, "status %d", status);
    CHECK(strstr(sn_failure_message(), fragment), "'%s' in '%s'", fragment, sn_failure_message());
}

static void meshes_that_enclose_nothing_are_refused(void)
{
    small_mesh nothing = {0};
    expect_refusal(&nothing, "empty mesh");
    small_mesh sheet = unit_cube();
    sheet.n_triangles = 2;
    expect_refusal(&sheet, "zero volume: all its faces have z = 0");
    for (int v = 0; v < 8; v++)
        sheet.vertex[v][2] = 0.3 * sheet.vertex[v][0] + 0.7 * sheet.vertex[v][1] + 1e3;
    expect_refusal(&sheet, "zero volume: its faces enclose");
    small_mesh huge = unit_cube();
    for (int v = 0; v < 8; v++)
        for (int d = 0; d < 3; d++)
            huge.vertex[v][d] *= 1e200;
    expect_refusal(&huge, "too large");
    small_mesh inside_out = unit_cube();
    for (int v = 0; v < 8; v++)
        inside_out.vertex[v][1] *= -1;
    sn_mesh mesh = view_of(&inside_out);
    sn_mesh_report r = sn_mesh_check(&mesh);
    CHECK(r.volume == -1, "%g", r.volume);
    CHECK(sn_mesh_require_solid("x", &mesh, &r) == SN_OK, "inside out is still solid");
}

/* Directed edges counted in a table of all pairs. */
static void brute_force_edges(const small_mesh *small, sn_mesh_report *r)
{
    int count[MOST_VERTICES][MOST_VERTICES] = {{0}};
    for (int t = 0; t < small->n_triangles; t++) {
        const int32_t *p = small->triangle[t];
        if (p[0] != p[1] && p[1] != p[2] && p[2] != p[0])
            for (int c = 0; c < 3; c++)
                count[p[c]][p[(c + 1) % 3]]++;
    }
    *r = (sn_mesh_report){.closed_chain = true};
    for (int a = 0; a < small->n_vertices; a++)
        for (int b = a + 1; b < small->n_vertices; b++) {
            int total = count[a][b] + count[b][a];
            r->boundary.count += total == 1;
            r->nonmanifold.count += total > 2;
            r->misoriented.count += total == 2 && count[a][b] != 1;
            r->closed_chain &= count[a][b] == count[b][a];
        }
}

static void random_soups_agree_with_brute_force(void)
{
    unsigned long long state = 1;
    for (int round = 0; round < 500; round++) {
        small_mesh soup = {.n_vertices = 3 + (int)(test_random(&state) * 10)};
        for (int v = 0; v < soup.n_vertices; v++)
            for (int d = 0; d < 3; d++)
                soup.vertex[v][d] = test_random(&state) - 0.5;
        int n = (int)(test_random(&state) * 40);
        for (int t = 0; t < n; t++) {
            int32_t p[3];
            for (int c = 0; c < 3; c++)
                p[c] = (int32_t)(test_random(&state) * soup.n_vertices);
            add_triangle(&soup, p[0], p[1], p[2]);
        }
        sn_mesh_report expected, r = check_small(&soup);
        brute_force_edges(&soup, &expected);
        CHECK(r.boundary.count == expected.boundary.count, "round %d", round);
        CHECK(r.nonmanifold.count == expected.nonmanifold.count, "round %d", round);
        CHECK(r.misoriented.count == expected.misoriented.count, "round %d", round);
        CHECK(r.closed_chain == expected.closed_chain, "round %d", round);
    }
}

static void points_are_numbered_by_first_appearance(void)
{
    const double vertex[6][3] = {{5, 0, 0}, {1, 0, 0}, {5, 0, 0},
                                 {0, 0, 0}, {1, 0, 0}, {-0.0, 0, 0}};
    const int32_t expected[6] = {0, 1, 0, 2, 1, 2};
    int32_t point[6];
    int64_t n = sn_weld(vertex, 6, point);
    CHECK(n == 3 && memcmp(point, expected, sizeof point) == 0, "%d points", (int)n);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    points_are_numbered_by_first_appearance();
    a_cube_is_clean();
    each_kind_of_dirt_is_found();
    degenerate_and_duplicate_faces_count_once();
    split_vertices_are_closed();
    two_cubes_are_two_components();
    meshes_that_enclose_nothing_are_refused();
    random_soups_agree_with_brute_force();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
