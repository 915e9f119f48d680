/* Built-in shapes: closed and oriented, with the volume, size and topology they should have, and
 * clear answers to specs that make no sense. */
#include "helpers/check.h"
#include "helpers/mesh_checks.h"
#include "shapes/hooks.h"
#include "shapes/shape.h"

#include "base/pi.h"

#include <math.h>
#include <omp.h>
#include <string.h>

static sn_mesh make(const char *spec)
{
    sn_mesh mesh;
    sn_status status = sn_builtin_make(spec, &mesh);
    CHECK(status == SN_OK, "%s: %s", spec, sn_failure_message());
    return mesh;
}

/* One closed surface without handles. */
static void check_ball_like(const sn_mesh *mesh, const char *spec)
{
    CHECK(count_bad_edges(mesh) == 0, "%s: %ld bad edges", spec, (long)count_bad_edges(mesh));
    CHECK(euler_characteristic(mesh) == 2, "%s: %ld", spec, (long)euler_characteristic(mesh));
    CHECK(count_components(mesh) == 1, "%s: %ld parts", spec, (long)count_components(mesh));
    CHECK(sn_mesh_volume(mesh) > 0, "%s: turned inside out", spec);
}

static double checked_volume(const char *spec)
{
    sn_mesh mesh = make(spec);
    check_ball_like(&mesh, spec);
    double volume = sn_mesh_volume(&mesh);
    sn_mesh_free(&mesh);
    return volume;
}

static void check_near(double value, double expected, double tolerance, const char *what)
{
    CHECK(fabs(value - expected) <= tolerance, "%s: %.12g, expected %.12g", what, value, expected);
}

static void test_boxes(void)
{
    check_near(checked_volume("builtin:cube"), 1, 1e-12, "cube");
    check_near(checked_volume("builtin:cube,detail=1"), 1, 1e-12, "coarsest cube");
    check_near(checked_volume("builtin:cube,size=2,detail=8"), 8, 1e-12, "larger cube");
    check_near(checked_volume("builtin:cube,size=2,y=3,z=0.1,detail=7"), 0.6, 1e-12, "plate");
    check_near(checked_volume("builtin:beam"), 0.04, 1e-12, "beam");
    check_near(checked_volume("builtin:beam,length=3,width=0.5,height=0.25,detail=31"), 0.375,
               1e-12, "longer beam");
    sn_mesh mesh = make("builtin:beam,length=3,width=0.5,height=0.25");
    sn_box box = sn_mesh_bounds(&mesh);
    check_near(box.min[0], 0, 0, "beam starts at the origin");
    check_near(box.max[0], 3, 0, "beam's long axis is x");
    check_near(box.max[1], 0.125, 0, "beam's height is y");
    check_near(box.max[2], 0.25, 0, "beam's width is z");
    sn_mesh_free(&mesh);
}

static void test_sphere(void)
{
    const double exact = 4 * SN_PI / 3;
    double coarse = exact - checked_volume("builtin:sphere,radius=1,detail=16");
    double fine = exact - checked_volume("builtin:sphere,radius=1,detail=32");
    CHECK(coarse > 0 && coarse < 0.01 * exact, "lacks %g", coarse);
    CHECK(fabs(coarse / fine - 4) < 0.1, "second order: %g", coarse / fine);
    check_near(checked_volume("builtin:sphere,radius=0.5,detail=32"), (exact - fine) / 8, 1e-12,
               "smaller sphere");
    checked_volume("builtin:sphere,detail=1");
}

/* Teeth take a quarter of the plate, and a little more since they stand at both ends. */
static void test_comb(void)
{
    double part = 8 / 15.0;
    check_near(checked_volume("builtin:comb"), 0.25 + 0.7 * part * part, 1e-12, "comb");
    check_near(checked_volume("builtin:comb,teeth=3,size=2,length=3,plate=0.1,detail=1"),
               4 * (0.1 + 3 * 9 / 25.0), 1e-12, "larger comb");
    check_near(checked_volume("builtin:comb,teeth=1,detail=5"), 0.95, 1e-12, "one tooth");
}

/* Half a hollow ball, and half a ring around its rim. */
static void test_bowl(void)
{
    const double radius = 1, wall = 0.1, outer = radius + wall;
    double shell = 2 * SN_PI / 3 * (outer * outer * outer - radius * radius * radius);
    double rim = 2 * SN_PI * (radius + wall / 2) * SN_PI * wall * wall / 8;
    check_near(checked_volume("builtin:bowl,radius=1,thickness=0.1,detail=64"), shell + rim,
               0.01 * shell, "bowl");
    checked_volume("builtin:bowl,detail=4");
}

/* Each triangle is seen from the centre the right way round, and together they cover all
 * directions once: then no two of them can cross. */
static void check_star_shaped(const sn_mesh *mesh, const char *spec)
{
    int64_t turned = 0;
    double covered = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        double solid_angle = solid_angle_from_origin(mesh, t);
        turned += solid_angle <= 0;
        covered += solid_angle;
    }
    CHECK(turned == 0, "%s: %ld triangles turned over", spec, (long)turned);
    CHECK(fabs(covered - 4 * SN_PI) < 1e-6, "%s: covers %g", spec, covered);
}

static void test_spike(void)
{
    static const char *const SPECS[] = {"builtin:spike,count=1", "builtin:spike,count=7,detail=8",
                                        "builtin:spike,count=250,detail=8",
                                        "builtin:spike,count=6,detail=40,radius=2"};
    for (size_t s = 0; s < sizeof SPECS / sizeof SPECS[0]; s++) {
        sn_mesh mesh = make(SPECS[s]);
        check_ball_like(&mesh, SPECS[s]);
        check_star_shaped(&mesh, SPECS[s]);
        CHECK(smallest_angle(&mesh) > 0.02, "%s: angle %g", SPECS[s], smallest_angle(&mesh));
        sn_mesh_free(&mesh);
    }
    sn_mesh mesh = make("builtin:spike,radius=1");
    check_ball_like(&mesh, "spike");
    check_star_shaped(&mesh, "spike");
    CHECK(smallest_angle(&mesh) > 0.15, "angle %g", smallest_angle(&mesh));
    CHECK(mesh.n_triangles > 50000 && mesh.n_triangles < 200000, "%ld", (long)mesh.n_triangles);
    double furthest = 0;
    for (int64_t v = 0; v < mesh.n_vertices; v++)
        furthest =
            fmax(furthest, hypot(hypot(mesh.vertex[v][0], mesh.vertex[v][1]), mesh.vertex[v][2]));
    check_near(furthest, 1.95, 1e-9, "the longest spike's tip");
    sn_mesh_free(&mesh);
}

static void test_creature(void)
{
    sn_mesh mesh = make("builtin:creature");
    check_ball_like(&mesh, "creature");
    CHECK(mesh.n_triangles > 50000 && mesh.n_triangles < 100000, "%ld", (long)mesh.n_triangles);
    CHECK(smallest_angle(&mesh) > 0.1, "angle %g", smallest_angle(&mesh));
    sn_box box = sn_mesh_bounds(&mesh);
    check_near(box.max[0] - box.min[0], 2, 0.15, "length");
    check_near(box.min[1], 0, 0.003, "stands on the ground");
    check_near(box.max[2], -box.min[2], 0.001, "symmetric");
    double volume = sn_mesh_volume(&mesh);
    sn_mesh_free(&mesh);
    double coarser = checked_volume("builtin:creature,detail=60");
    check_near(coarser, volume, 0.02 * volume, "with fewer cells");
    check_near(8 * checked_volume("builtin:creature,detail=60,size=0.5"), coarser, 1e-9, "smaller");
}

/* What is free between vertices below and above a plane, of those in a box around the gap. */
static double gap_at(const sn_mesh *mesh, int axis, double plane, const sn_box *box)
{
    double below = -INFINITY, above = INFINITY;
    for (int64_t v = 0; v < mesh->n_vertices; v++) {
        const double *p = mesh->vertex[v];
        bool in = true;
        for (int d = 0; d < 3; d++)
            in = in && p[d] >= box->min[d] && p[d] <= box->max[d];
        if (in && p[axis] < plane)
            below = fmax(below, p[axis]);
        else if (in)
            above = fmin(above, p[axis]);
    }
    return above - below;
}

/* The middle finger is at x = 0, 0.05 to each side. What is between them is as narrow as is said,
 * and narrower than the triangles are long; the volume is linear in it. */
static void test_hand(void)
{
    static const double GAPS[] = {0.001, 0.01, 0.028};
    double volume[3];
    for (int g = 0; g < 3; g++) {
        char spec[64];
        snprintf(spec, sizeof spec, "builtin:hand,gap=%g,detail=70", GAPS[g]);
        sn_mesh mesh = make(spec);
        check_ball_like(&mesh, spec);
        sn_box beside = {{-0.3, 0.6, -1}, {0.2, 0.85, 1}};
        double between = gap_at(&mesh, 0, 0.05 + GAPS[g] / 2, &beside);
        CHECK(between >= GAPS[g] - 1e-6 && between < GAPS[g] + 0.001, "%s: %g", spec, between);
        sn_box box = sn_mesh_bounds(&mesh);
        check_near(box.max[0] - box.min[0], 0.503 + 4 * GAPS[g], 0.003, "width");
        check_near(box.max[1], 1, 0.003, "length");
        check_near(box.max[2], -box.min[2], 0.003, "both sides");
        volume[g] = sn_mesh_volume(&mesh);
        sn_mesh_free(&mesh);
    }
    check_near((volume[2] - volume[1]) / 0.018, (volume[1] - volume[0]) / 0.009,
               0.02 * volume[1] / 0.009, "volume with the gap");
    check_near(8 * checked_volume("builtin:hand,size=0.5,gap=0.005,detail=70"), volume[1], 1e-9,
               "smaller");
    check_near(checked_volume("builtin:hand,detail=100"), volume[1], 0.01 * volume[1], "finer");
}

/* Bars with round ends; the ring's volume is its section times the way of the section's middle. */
static void test_hooks(void)
{
    double r = SN_HOOK_THICK, along = SN_HOOK_SHANK + SN_PI * SN_HOOK_RING + SN_HOOK_LIP;
    double exact = 2 * (SN_PI * r * r * along + 4 * SN_PI / 3 * r * r * r), lacks[2];
    for (int fine = 0; fine < 2; fine++) {
        const char *spec = fine ? "builtin:hooks,gap=0.02,detail=64" : "builtin:hooks,gap=0.02";
        sn_mesh mesh = make(spec);
        CHECK(count_bad_edges(&mesh) == 0, "%s: %ld", spec, (long)count_bad_edges(&mesh));
        CHECK(count_components(&mesh) == 2 && euler_characteristic(&mesh) == 4, "%s", spec);
        sn_box middle = {{-0.02, -0.05, -0.02}, {0.02, 0.05, 0.02}};
        check_near(gap_at(&mesh, 1, 0, &middle), 0.02, 0.003, "gap between hooks");
        lacks[fine] = exact - sn_mesh_volume(&mesh);
        sn_mesh_free(&mesh);
    }
    CHECK(lacks[1] > 0 && lacks[0] < 0.02 * exact, "%g and %g of %g", lacks[0], lacks[1], exact);
    CHECK(fabs(lacks[0] / lacks[1] - 4) < 0.3, "second order: %g", lacks[0] / lacks[1]);
}

/* A ball but for its mouth. */
static void test_lips(void)
{
    sn_mesh mesh = make("builtin:lips,gap=0.004,detail=50");
    check_ball_like(&mesh, "lips");
    sn_box between = {{-0.15, -0.1, 0.36}, {0.15, 0.1, 0.44}};
    check_near(gap_at(&mesh, 1, 0, &between), 0.004, 1e-4, "gap between lips");
    sn_box box = sn_mesh_bounds(&mesh);
    check_near(box.max[0] - box.min[0], 1, 0.003, "diameter");
    check_near(box.max[1], -box.min[1], 1e-3, "symmetric");
    double volume = sn_mesh_volume(&mesh), ball = SN_PI / 6;
    CHECK(volume > 0.9 * ball && volume < 1.05 * ball, "%g of %g", volume, ball);
    sn_mesh_free(&mesh);
    check_near(checked_volume("builtin:lips,gap=0.004"), volume, 0.01 * volume, "finer lips");
}

/* On any number of threads. */
static void test_same_bits(const char *spec)
{
    omp_set_num_threads(1);
    sn_mesh a = make(spec);
    omp_set_num_threads(3);
    sn_mesh b = make(spec);
    omp_set_num_threads(1);
    CHECK(a.n_vertices == b.n_vertices && a.n_triangles == b.n_triangles, "%s", spec);
    CHECK(memcmp(a.vertex, b.vertex, (size_t)a.n_vertices * sizeof *a.vertex) == 0, "%s", spec);
    CHECK(memcmp(a.triangle, b.triangle, (size_t)a.n_triangles * sizeof *a.triangle) == 0, "%s",
          spec);
    sn_mesh_free(&a);
    sn_mesh_free(&b);
}

/* Every bad spec fails with a message that holds the hint. */
static void test_bad_specs(void)
{
    static const struct {
        const char *spec, *hint;
    } BAD[] = {
        {"builtin:dog", "creature"},
        {"builtin:", "sphere"},
        {"", "sphere"},
        {"sphere.obj", "sphere"},
        {"builtin:sphere,", "name=number"},
        {"builtin:sphere,radius", "name=number"},
        {"builtin:sphere,size=1", "radius, detail"},
        {"builtin:sphere,radius=", "number"},
        {"builtin:sphere,radius=abc", "number"},
        {"builtin:sphere,radius=1m", "number"},
        {"builtin:sphere,radius=-1", "between"},
        {"builtin:sphere,radius=0", "between"},
        {"builtin:sphere,radius=nan", "between"},
        {"builtin:sphere,radius=inf", "between"},
        {"builtin:sphere,detail=1e9", "between"},
        {"builtin:sphere,detail=2.5", "whole"},
        {"builtin:creature/wing", "pelvis"},
        {"builtin:creature/pelvis,detail=3", "size"},
    };
    for (size_t b = 0; b < sizeof BAD / sizeof BAD[0]; b++) {
        sn_mesh mesh;
        sn_status status = sn_builtin_make(BAD[b].spec, &mesh);
        CHECK(status == SN_BAD_INPUT, "'%s' gave %d", BAD[b].spec, (int)status);
        CHECK(strstr(sn_failure_message(), BAD[b].hint), "'%s' gave '%s'", BAD[b].spec,
              sn_failure_message());
    }
}

static void run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    test_boxes();
    test_sphere();
    test_bowl();
    test_comb();
    test_spike();
    test_creature();
    test_hand();
    test_hooks();
    test_lips();
    test_same_bits("builtin:spike,count=5");
    test_same_bits("builtin:creature,detail=60");
    test_bad_specs();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
