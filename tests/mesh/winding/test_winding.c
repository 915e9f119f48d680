/* The tree against the plain sum of solid angles, on meshes whose winding numbers are known. */
#include "helpers/soup.h"
#include "mesh/winding/winding.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static sn_winding_tree *tree_of(const soup *s)
{
    sn_mesh mesh = mesh_of(s);
    void *block = SN_NEW(char, sn_winding_tree_bytes(mesh.n_triangles));
    sn_winding_tree_build(&mesh, block);
    return block;
}

/* ---- against the reference ---- */

static void check_point(const soup *s, const sn_winding_tree *tree, const double q[3],
                        const char *what)
{
    sn_mesh mesh = mesh_of(s);
    double fast = sn_winding(tree, q), slow = sn_winding_reference(&mesh, q);
    CHECK(fabs(fast - slow) < SN_WINDING_ERROR, "%s at %g %g %g: %.6f, expected %.6f", what, q[0],
          q[1], q[2], fast, slow);
}

static void check_in_box(const soup *s, double half_width, int points, const char *what)
{
    sn_winding_tree *tree = tree_of(s);
    for (int i = 0; i < points; i++) {
        double q[3];
        for (int d = 0; d < 3; d++)
            q[d] = uniform(-half_width, half_width);
        check_point(s, tree, q, what);
    }
    sn_free(tree);
}

static void check_value(const soup *s, double x, double y, double z, double expected)
{
    sn_winding_tree *tree = tree_of(s);
    sn_mesh mesh = mesh_of(s);
    double q[3] = {x, y, z}, slow = sn_winding_reference(&mesh, q);
    CHECK(fabs(slow - expected) < 1e-10, "reference %.12f, expected %g", slow, expected);
    CHECK(fabs(sn_winding(tree, q) - expected) < SN_WINDING_ERROR, "%.6f, expected %g",
          sn_winding(tree, q), expected);
    sn_free(tree);
}

static void known_meshes(void)
{
    soup s = {0};
    add_sphere(&s, 0, 0, 0, 1, 4);
    check_value(&s, 0.1, 0.2, -0.3, 1);
    check_value(&s, 0.1, 1.2, -0.3, 0);
    check_in_box(&s, 1.2, 500, "sphere");
    add_sphere(&s, 1, 0, 0, 1, 5);
    check_value(&s, 0.5, 0.1, 0.1, 2);
    check_value(&s, -0.5, 0.1, 0.1, 1);
    check_in_box(&s, 1.5, 200, "two spheres");
    free_soup(&s);

    add_sphere(&s, 0, 0, 0, 1, 4);
    add_sphere(&s, 0, 0, 0, -0.5, 3);
    check_value(&s, 0.1, 0.1, 0.1, 0);
    check_value(&s, 0.7, 0.1, 0.1, 1);
    check_in_box(&s, 1.2, 300, "cavity");
    free_soup(&s);

    add_sphere(&s, 0, 0, 0, -1, 4);
    check_value(&s, 0.1, 0.1, 0.1, -1);
    check_in_box(&s, 1.2, 200, "inside out");
    free_soup(&s);
}

static void open_and_dirty_meshes(void)
{
    soup s = {0};
    add_sphere(&s, 0, 0, 0, 1, 5);
    remove_above(&s, 0.6);
    check_in_box(&s, 1.2, 200, "a hole");
    free_soup(&s);

    for (int i = 0; i < 5; i++) {
        add_random(&s, 3000, i == 0 ? 0.5 : 0.02);
        check_in_box(&s, 1.5, 100, "random soup");
        free_soup(&s);
    }
    /* Duplicate faces, points, segments and a few huge triangles among small ones. */
    add_sphere(&s, 0, 0, 0, 1, 4);
    for (int i = 0; i < 300; i++) {
        double p[3][3];
        for (int c = 0; c < 3; c++)
            memcpy(p[c], s.vertex.data[s.triangle.data[i][c]], sizeof p[c]);
        add_triangle(&s, p);
        memcpy(p[2], p[1], sizeof p[1]);
        add_triangle(&s, p);
        memcpy(p[0], p[1], sizeof p[1]);
        add_triangle(&s, p);
    }
    add_random(&s, 20, 2);
    check_in_box(&s, 1.5, 300, "dirty mesh");
    free_soup(&s);
}

static void sizes(void)
{
    const int counts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 600};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        soup s = {0};
        add_random(&s, counts[i], 0.2);
        check_in_box(&s, 1.5, 200, "small soup");
        free_soup(&s);
    }
    CHECK(sn_winding_tree_bytes(100000) <= 64 * 100000, "%zu bytes", sn_winding_tree_bytes(100000));
}

static void any_scale_and_place(void)
{
    const double scales[] = {1e-12, 1e-3, 1e12};
    for (int i = 0; i < 3; i++) {
        soup s = {0};
        add_sphere(&s, 0, 0, 0, 1, 4);
        transform(&s, scales[i], 1e4 * scales[i]);
        sn_winding_tree *tree = tree_of(&s);
        for (int k = 0; k < 100; k++) {
            double q[3];
            for (int d = 0; d < 3; d++)
                q[d] = scales[i] * (1e4 + uniform(-1.5, 1.5));
            check_point(&s, tree, q, "scaled and moved");
        }
        sn_free(tree);
        free_soup(&s);
    }
}

/* Much detail in a small part of a large mesh. */
static void two_scales(void)
{
    soup s = {0};
    add_sphere(&s, 0, 0, 0, 1, 3);
    add_sphere(&s, 3, 3, 3, 1e-5, 4);
    sn_winding_tree *tree = tree_of(&s);
    for (int i = 0; i < 500; i++) {
        double q[3];
        for (int d = 0; d < 3; d++)
            q[d] = 3 + 1e-5 * uniform(-1.2, 1.2);
        check_point(&s, tree, q, "a small part");
    }
    sn_free(tree);
    free_soup(&s);
}

static void far_away(void)
{
    soup s = {0};
    add_sphere(&s, 0, 0, 0, 1, 3);
    remove_above(&s, 0.5);
    sn_winding_tree *tree = tree_of(&s);
    const double distances[] = {3, 30, 1e4, 1e8, 1e12, 1e30, 1e300, INFINITY, NAN};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        double q[3] = {distances[i], 0.1, -distances[i]};
        if (distances[i] < 1e9)
            check_point(&s, tree, q, "far away");
        else
            CHECK(sn_winding(tree, q) == 0, "%g at distance %g", sn_winding(tree, q), distances[i]);
    }
    sn_free(tree);
    free_soup(&s);
}

/* ---- near and on the surface ---- */

/* A point over a triangle, at `height` times the triangle's size. */
static void over_triangle(const soup *s, size_t t, double height, double q[3])
{
    const double *p[3];
    double u = uniform(0.1, 0.45), v = uniform(0.1, 0.45), n[3], e[2][3];
    for (int c = 0; c < 3; c++)
        p[c] = s->vertex.data[s->triangle.data[t][c]];
    for (int d = 0; d < 3; d++) {
        e[0][d] = p[1][d] - p[0][d];
        e[1][d] = p[2][d] - p[0][d];
        q[d] = p[0][d] + u * e[0][d] + v * e[1][d];
    }
    double length2 = 0;
    for (int d = 0; d < 3; d++) {
        n[d] = e[0][(d + 1) % 3] * e[1][(d + 2) % 3] - e[0][(d + 2) % 3] * e[1][(d + 1) % 3];
        length2 += n[d] * n[d];
    }
    for (int d = 0; d < 3; d++) /* n / sqrt(|n|) is about as long as an edge */
        q[d] += height * n[d] / pow(length2, 0.25);
}

static void near_the_surface(void)
{
    soup s = {0};
    add_sphere(&s, 0.3, 0.2, 0.1, 1, 5);
    sn_winding_tree *tree = tree_of(&s);
    const double heights[] = {1, 0.1, 0.01, 1e-3, 2e-4};
    for (int i = 0; i < 600; i++) {
        double q[3], height = heights[i % 5] * (i % 2 ? 1 : -1);
        over_triangle(&s, (size_t)uniform(0, (double)s.triangle.count), height, q);
        check_point(&s, tree, q, "near the surface");
        CHECK((sn_winding(tree, q) > 0.5) == (height < 0), "%g at height %g", sn_winding(tree, q),
              height);
    }
    sn_free(tree);
    free_soup(&s);
}

/* Inside a triangle that triangle alone is in doubt; on an edge or at a corner each one there,
 * by up to one half. */
static void on_the_surface(void)
{
    soup s = {0};
    add_sphere(&s, 0.3, 0.2, 0.1, 1, 4);
    sn_winding_tree *tree = tree_of(&s);
    sn_mesh mesh = mesh_of(&s);
    for (size_t t = 0; t < s.triangle.count; t += 5) {
        const double *p0 = s.vertex.data[s.triangle.data[t][0]],
                     *p1 = s.vertex.data[s.triangle.data[t][1]];
        double middle[3], inner[3];
        over_triangle(&s, t, 0, inner);
        for (int d = 0; d < 3; d++)
            middle[d] = (p0[d] + p1[d]) / 2;
        const double *points[] = {inner, middle, p0};
        const double doubtful[] = {1, 2, 6};
        for (int i = 0; i < 3; i++) {
            double fast = sn_winding(tree, points[i]);
            double slow = sn_winding_reference(&mesh, points[i]);
            double allowed = doubtful[i] / 2 + SN_WINDING_ERROR;
            CHECK(fabs(fast - 0.5) < allowed, "%g on the surface", fast);
            CHECK(fabs(slow - 0.5) < allowed, "reference %g on the surface", slow);
        }
    }
    sn_free(tree);
    free_soup(&s);
}

/* ---- the same bits ---- */

static void batches_and_copies(void)
{
    enum { POINTS = 1000 };
    soup s = {0};
    add_sphere(&s, 0, 0, 0, 1, 4);
    add_random(&s, 500, 0.3);
    sn_mesh mesh = mesh_of(&s);
    size_t bytes = sn_winding_tree_bytes(mesh.n_triangles);
    sn_winding_tree *tree = tree_of(&s), *again = tree_of(&s);
    CHECK(memcmp(tree, again, bytes) == 0, "two builds differ");
    char *elsewhere = SN_NEW(char, bytes + 8); /* a shared window promises no more than this */
    memcpy(elsewhere + 8, tree, bytes);

    double q[POINTS][3], w[POINTS];
    for (int i = 0; i < POINTS; i++)
        for (int d = 0; d < 3; d++)
            q[i][d] = uniform(-1.2, 1.2);
    for (size_t first = 0, length = 1; first < POINTS; first += length++)
        sn_winding_batch(tree, (const double(*)[3])q + first,
                         first + length < POINTS ? length : POINTS - first, w + first);
    for (int i = POINTS - 1; i >= 0; i--) {
        double alone = sn_winding((const sn_winding_tree *)(elsewhere + 8), q[i]);
        CHECK(memcmp(&alone, &w[i], sizeof alone) == 0, "%.17g alone, %.17g in a batch", alone,
              w[i]);
    }
    sn_free(tree);
    sn_free(again);
    sn_free(elsewhere);
    free_soup(&s);
}

/* Enough triangles for the threads to share. */
static void any_number_of_threads(void)
{
    soup s = {0};
    add_sphere(&s, 0, 0, 0, 1, 6);
    add_random(&s, 5000, 0.3);
    size_t bytes = sn_winding_tree_bytes((int64_t)s.triangle.count);
    int before = omp_get_max_threads();
    omp_set_num_threads(1);
    sn_winding_tree *alone = tree_of(&s);
    omp_set_num_threads(4);
    sn_winding_tree *together = tree_of(&s);
    omp_set_num_threads(before);
    CHECK(memcmp(alone, together, bytes) == 0, "1 and 4 threads differ");
    sn_free(alone);
    sn_free(together);
    free_soup(&s);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    known_meshes();
    open_and_dirty_meshes();
    sizes();
    any_scale_and_place();
    two_scales();
    far_away();
    near_the_surface();
    on_the_surface();
    batches_and_copies();
    any_number_of_threads();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
