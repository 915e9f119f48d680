/* What is said about a bare mesh: crossings against all pairs in plain arithmetic, thickness and
 * gaps of slabs and balls that are known, units. What cells cost is held by init_scenes. */
#include "helpers/check.h"
#include "helpers/prisms.h"

#include "base/vec3.h"
#include "shapes/shape.h"
#include "survey/survey.h"

#include <math.h>
#include <stdlib.h>

static const double SQUARE[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

/* ---- Meshes ---- */

static sn_mesh slab(double low, double high)
{
    return test_prism(4, SQUARE, low, high);
}

/* Takes both over. */
static sn_mesh together(sn_mesh a, sn_mesh b)
{
    sn_mesh all = {.n_vertices = a.n_vertices + b.n_vertices,
                   .n_triangles = a.n_triangles + b.n_triangles};
    all.vertex = SN_NEW(double[3], all.n_vertices);
    all.triangle = SN_NEW(int32_t[3], all.n_triangles);
    all.face = SN_NEW(int32_t, all.n_triangles);
    for (int64_t v = 0; v < all.n_vertices; v++)
        memcpy(all.vertex[v], v < a.n_vertices ? a.vertex[v] : b.vertex[v - a.n_vertices],
               sizeof all.vertex[v]);
    for (int64_t t = 0; t < all.n_triangles; t++)
        for (int c = 0; c < 3; c++)
            all.triangle[t][c] = t < a.n_triangles
                                     ? a.triangle[t][c]
                                     : b.triangle[t - a.n_triangles][c] + (int32_t)a.n_vertices;
    for (int64_t t = 0; t < all.n_triangles; t++)
        all.face[t] = (int32_t)t + 1;
    sn_mesh_free(&a);
    sn_mesh_free(&b);
    return all;
}

static sn_mesh moved(sn_mesh m, double x, double y, double z)
{
    test_move(&m, (double[3]){0}, (double[3]){0}, (double[3]){x, y, z});
    return m;
}

static double random_number(void)
{
    return (double)rand() / RAND_MAX;
}

/* Triangles without common corners, anywhere. */
static sn_mesh soup(int n)
{
    sn_mesh m = {.n_vertices = 3 * n, .n_triangles = n};
    m.vertex = SN_NEW(double[3], m.n_vertices);
    m.triangle = SN_NEW(int32_t[3], m.n_triangles);
    m.face = SN_NEW(int32_t, m.n_triangles);
    for (int t = 0; t < n; t++) {
        double at[3] = {random_number(), random_number(), random_number()};
        m.face[t] = t + 1;
        for (int c = 0; c < 3; c++) {
            m.triangle[t][c] = 3 * t + c;
            for (int d = 0; d < 3; d++)
                m.vertex[3 * t + c][d] = at[d] + 0.3 * random_number();
        }
    }
    return m;
}

/* ---- Crossings ---- */

static double volume(const double *a, const double *b, const double *c, const double *d)
{
    sn_vec o = sn_vec_load(a);
    return sn_vec_dot(sn_vec_cross(sn_vec_sub(sn_vec_load(b), o), sn_vec_sub(sn_vec_load(c), o)),
                      sn_vec_sub(sn_vec_load(d), o));
}

static bool passes(const double *from, const double *to, double (*v)[3], const int32_t t[3])
{
    if ((volume(v[t[0]], v[t[1]], v[t[2]], from) > 0) ==
        (volume(v[t[0]], v[t[1]], v[t[2]], to) > 0))
        return false;
    bool side[3];
    for (int e = 0; e < 3; e++)
        side[e] = volume(from, to, v[t[e]], v[t[(e + 1) % 3]]) > 0;
    return side[0] == side[1] && side[1] == side[2];
}

static bool any_edge_passes(const sn_mesh *m, int64_t a, int64_t b)
{
    for (int e = 0; e < 3; e++)
        if (passes(m->vertex[m->triangle[a][e]], m->vertex[m->triangle[a][(e + 1) % 3]], m->vertex,
                   m->triangle[b]))
            return true;
    return false;
}

static void test_crossings_of_soup(void)
{
    sn_mesh m = soup(300);
    sn_mesh_crossings expected = {0}, found = sn_mesh_find_crossings(&m);
    for (int64_t a = 0; a < m.n_triangles; a++)
        for (int64_t b = a + 1; b < m.n_triangles; b++)
            if (any_edge_passes(&m, a, b) || any_edge_passes(&m, b, a))
                if (expected.pairs++ == 0) {
                    expected.face[0] = m.face[a];
                    expected.face[1] = m.face[b];
                }
    CHECK(expected.pairs > 100, "only %d pairs", (int)expected.pairs);
    CHECK(found.pairs == expected.pairs && !found.more, "%d pairs, not %d", (int)found.pairs,
          (int)expected.pairs);
    CHECK(found.face[0] == expected.face[0] && found.face[1] == expected.face[1],
          "faces %d and %d, not %d and %d", found.face[0], found.face[1], expected.face[0],
          expected.face[1]);
    sn_mesh_free(&m);
}

static void expect_crossings(sn_mesh m, bool any)
{
    sn_mesh_crossings found = sn_mesh_find_crossings(&m);
    CHECK((found.pairs > 0) == any && !found.more, "%d pairs", (int)found.pairs);
    sn_mesh_free(&m);
}

static sn_mesh builtin(const char *name)
{
    sn_mesh m;
    CHECK(sn_builtin_make(name, &m) == SN_OK, "%s", sn_failure_message());
    return m;
}

static void test_crossings_of_solids(void)
{
    expect_crossings(builtin("builtin:sphere,detail=8"), false);
    expect_crossings(together(slab(0, 1), slab(1.1, 2)), false);
    expect_crossings(together(slab(0, 1), moved(slab(0, 1), 0.3, 0.4, 0.5)), true);
    expect_crossings(together(builtin("builtin:sphere,radius=1,detail=8"),
                              builtin("builtin:sphere,radius=0.5,detail=8")),
                     false);
}

/* ---- Thickness ---- */

static sn_thickness thickness_of(sn_mesh m, bool inside_out)
{
    sn_thickness t;
    CHECK(sn_mesh_thickness(&m, inside_out, &t) == SN_OK, "%s", sn_failure_message());
    sn_mesh_free(&m);
    return t;
}

static void expect_near(const char *what, double is, double should, double part)
{
    CHECK(fabs(is - should) <= part * should, "%s: %g, not %g", what, is, should);
}

static void test_slabs(void)
{
    const double gap = 0.03;
    sn_thickness one = thickness_of(slab(0, 0.2), false);
    expect_near("a slab", one.thinnest.distance, 0.2, 1e-5);
    CHECK(isinf(one.closest.distance), "a slab is close to itself: %g", one.closest.distance);
    for (int inside_out = 0; inside_out < 2; inside_out++) {
        sn_mesh m = together(slab(0, 0.45), slab(0.45 + gap, 0.8));
        m = inside_out ? test_turned_inside_out(m) : m;
        sn_thickness two = thickness_of(m, inside_out);
        expect_near("two slabs", two.thinnest.distance, 0.8 - 0.45 - gap, 1e-5);
        expect_near("their gap", two.closest.distance, gap, 1e-4);
        expect_near("its place", fabs(two.closest.place[2] - 0.45 - gap / 2), gap / 2, 1e-4);
    }
}

static void test_far_away(void)
{
    sn_thickness far = thickness_of(moved(slab(0, 0.2), 1e7, -1e7, 1e7), false);
    expect_near("a slab far away", far.thinnest.distance, 0.2, 1e-4);
}

static void test_ball(void)
{
    sn_thickness ball = thickness_of(builtin("builtin:sphere,radius=0.5,detail=16"), false);
    expect_near("a ball", ball.thinnest.distance, 1, 0.02);
    expect_near("half of it", ball.usual, 1, 0.02);
    CHECK(isinf(ball.closest.distance), "a ball is close to itself");
}

/* ---- Cells and units ---- */

static void test_units(void)
{
    static const double metres[] = {1, 0.1, 0.01, 0.001};
    CHECK(sn_guess_unit(0.1).metres == 1, "something small");
    for (int i = 0; i < 4; i++) {
        CHECK(sn_guess_unit(1.7 / metres[i]).metres == metres[i], "a man");
        CHECK(sn_guess_unit(0.4 / metres[i]).metres == metres[i], "a cat");
    }
}

static void test_cell_for_elements(void)
{
    for (double n = 100; n < 1e9; n *= 10) {
        double cell = sn_cell_for_elements(6, 1, n);
        CHECK(sn_cost_of_cells(6, 1, cell).elements <= n, "too many elements");
        CHECK(sn_cost_of_cells(6, 1, 0.99 * cell).elements >= n, "too few");
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    test_crossings_of_soup();
    test_crossings_of_solids();
    test_slabs();
    test_far_away();
    test_ball();
    test_units();
    test_cell_for_elements();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
