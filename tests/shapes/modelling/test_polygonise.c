/* Implicit solids have the distances they should, and whatever is polygonised comes out as a
 * closed two-manifold: smooth shapes with their volume, and noise without any sense too. */
#include "helpers/check.h"
#include "helpers/mesh_checks.h"
#include "shapes/modelling/polygonise.h"

#include "base/pi.h"

#include <math.h>

static sn_mesh polygonise(const sn_implicit *implicit, double cell)
{
    sn_surface surface = {0};
    sn_mesh mesh;
    sn_polygonise(implicit, cell, &surface);
    sn_surface_to_mesh(&surface, &mesh);
    return mesh;
}

static double ball(const void *radius, sn_vec at)
{
    return sn_vec_length(at) - *(const double *)radius;
}

static double ring(const void *unused, sn_vec at)
{
    (void)unused;
    return hypot(hypot(at.x, at.y) - 0.5, at.z) - 0.2;
}

/* Blobs of about the size of a cell, of every shape, that reach the borders of the box. */
static double noise(const void *unused, sn_vec at)
{
    (void)unused;
    return sin(31 * at.x + 3 * at.z) + sin(29 * at.y - 2 * at.x) + sin(37 * at.z + at.y) +
           sin(53 * (at.x + at.y + at.z)) + 0.1;
}

static const sn_vec LOW = {-1, -1, -1}, HIGH = {1, 1, 1};

static void test_ball(void)
{
    double radius = 0.8, volume = 4 * SN_PI / 3 * pow(radius, 3), lacking[2];
    sn_implicit implicit = {ball, &radius, 1, LOW, HIGH};
    for (int i = 0; i < 2; i++) {
        sn_mesh mesh = polygonise(&implicit, 0.1 / (i + 1));
        CHECK(count_bad_edges(&mesh) == 0 && euler_characteristic(&mesh) == 2, "%d", i);
        CHECK(smallest_angle(&mesh) > 0.25, "%g", smallest_angle(&mesh));
        for (int64_t v = 0; v < mesh.n_vertices; v++) {
            double off = sqrt(dot3(mesh.vertex[v], mesh.vertex[v])) - radius;
            CHECK(fabs(off) < 1e-3 * radius, "off by %g", off);
        }
        lacking[i] = volume - sn_mesh_volume(&mesh);
        sn_mesh_free(&mesh);
    }
    CHECK(lacking[0] > 0 && lacking[0] < 0.02 * volume, "%g", lacking[0]);
    CHECK(fabs(lacking[0] / lacking[1] - 4) < 0.6, "second order: %g", lacking[0] / lacking[1]);
}

static void test_ring_has_a_hole(void)
{
    sn_implicit implicit = {ring, NULL, 1, LOW, HIGH};
    sn_mesh mesh = polygonise(&implicit, 0.05);
    CHECK(count_bad_edges(&mesh) == 0, "%ld", (long)count_bad_edges(&mesh));
    CHECK(euler_characteristic(&mesh) == 0, "%ld", (long)euler_characteristic(&mesh));
    CHECK(fabs(sn_mesh_volume(&mesh) - 2 * SN_PI * SN_PI * 0.5 * 0.04) < 0.01, "%g",
          sn_mesh_volume(&mesh));
    sn_mesh_free(&mesh);
}

/* A box that cuts the shape off: still closed. */
static void test_noise(void)
{
    const double steepness = 1e9; /* nothing is culled */
    sn_implicit implicit = {noise, NULL, steepness, LOW, HIGH};
    sn_mesh mesh = polygonise(&implicit, 0.05);
    CHECK(mesh.n_triangles > 10000, "%ld", (long)mesh.n_triangles);
    CHECK(count_bad_edges(&mesh) == 0, "%ld", (long)count_bad_edges(&mesh));
    sn_mesh_free(&mesh);
}

static void test_nothing(void)
{
    double radius = -1;
    sn_implicit implicit = {ball, &radius, 1, LOW, HIGH};
    sn_mesh mesh = polygonise(&implicit, 0.2);
    CHECK(mesh.n_triangles == 0 && mesh.n_vertices == 0, "%ld", (long)mesh.n_triangles);
    sn_mesh_free(&mesh);
}

/* The distance to a round cone is that to the nearest of the balls along it. */
static void test_round_cone(void)
{
    enum { PLACES = 2000, BALLS = 2000 };
    sn_vec a = {0.1, 0.2, -0.3}, b = {0.5, -0.4, 0.6};
    double radius_a = 0.4, radius_b = 0.1;
    unsigned long long state = 7;
    for (int p = 0; p < PLACES; p++) {
        sn_vec at = {4 * test_random(&state) - 2, 4 * test_random(&state) - 2,
                     4 * test_random(&state) - 2};
        double nearest = INFINITY;
        for (int i = 0; i <= BALLS; i++) {
            double t = (double)i / BALLS, radius = radius_a + t * (radius_b - radius_a);
            sn_vec centre = sn_vec_between(a, b, t);
            nearest = fmin(nearest, sn_vec_length(sn_vec_sub(at, centre)) - radius);
        }
        double value = sn_round_cone(at, a, radius_a, b, radius_b);
        CHECK(fabs(value - nearest) < 1e-5, "%g, not %g", value, nearest);
    }
}

static void test_blends(void)
{
    CHECK(sn_blend_union(1, 3, 0.5) == 1, "far apart: the smaller");
    CHECK(sn_blend_union(1, 1, 0.4) == 1 - 0.1, "at the seam: a quarter of the width deeper");
    CHECK(sn_blend_cut(-1, 5, 0.5) == -1, "a cut far away changes nothing");
    CHECK(sn_blend_cut(-1, -2, 0.5) == 2, "inside the cut is outside");
    CHECK(sn_blend_union(1, 2, 0) == 1, "no rounding");
}

static void run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    test_ball();
    test_ring_has_a_hole();
    test_noise();
    test_nothing();
    test_round_cone();
    test_blends();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
