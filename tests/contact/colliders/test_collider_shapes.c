/* Nearest points and crossings of plain shapes against what their regions say, by dense sampling;
 * of meshes against all triangles and plain winding numbers; and of moving triangles against
 * still ones. */
#include "helpers/check.h"

#include "base/array.h"
#include "contact/colliders/mesh.h"
#include "contact/colliders/shapes.h"
#include "mesh/mesh.h"
#include "mesh/winding/winding.h"
#include "region/region.h"
#include "shapes/shape.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 20000, POINTS = 150, STEPS = 4000 };

static sn_vec random_vec(unsigned long long *seed, double size)
{
    double x = test_random(seed), y = test_random(seed), z = test_random(seed);
    return (sn_vec){size * (2 * x - 1), size * (2 * y - 1), size * (2 * z - 1)};
}

static double distance(sn_vec a, sn_vec b)
{
    return sn_vec_length(sn_vec_sub(a, b));
}

/* ---- Plain shapes ---- */

static const sn_shape shapes[] = {
    {.kind = SN_SHAPE_BOX, .box = {{-1, -0.5, -1.5}, {0.5, 1.5, 1}}},
    {.kind = SN_SHAPE_SPHERE, .sphere = {{0.3, -0.2, 0.1}, 1.1}},
    {.kind = SN_SHAPE_CAPSULE, .capsule = {{-1, -0.5, 0.3}, {0.7, 1.1, -0.4}, 0.8}},
    {.kind = SN_SHAPE_CYLINDER, .cylinder = {{-1, -0.5, 0.3}, {0.7, 1.1, -0.4}, 0.8}},
    {.kind = SN_SHAPE_CYLINDER, .cylinder = {{-1, -0.5, 0.3}, {-1.1, -0.4, 0.3}, 1.4}}, /* a disc */
    {.kind = SN_SHAPE_PLANE, .plane = {{0.1, 0.2, 0.3}, {1, -3, 2}}},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static bool contains(const sn_shape *shape, sn_vec p)
{
    sn_region region = {.shape = *shape};
    double at[3];
    sn_vec_store(p, at);
    return sn_region_contains(&region, at);
}

/* A point inside the plain shape. */
static sn_vec middle_of(const sn_shape *s)
{
    switch (s->kind) {
    case SN_SHAPE_BOX:
        return sn_vec_between(sn_vec_load(s->box.min), sn_vec_load(s->box.max), 0.5);
    case SN_SHAPE_SPHERE:
        return sn_vec_load(s->sphere.center);
    case SN_SHAPE_CAPSULE:
        return sn_vec_between(sn_vec_load(s->capsule.a), sn_vec_load(s->capsule.b), 0.5);
    case SN_SHAPE_CYLINDER:
        return sn_vec_between(sn_vec_load(s->cylinder.a), sn_vec_load(s->cylinder.b), 0.5);
    default:
        return sn_vec_sub(sn_vec_load(s->plane.point), sn_vec_load(s->plane.normal));
    }
}

/* Where the way from the middle leaves the plain shape; false if it does not, within reach. */
static bool surface_sample(const sn_shape *shape, sn_vec way, sn_vec *sample)
{
    sn_shape plain = *shape;
    plain.invert = false;
    sn_vec middle = middle_of(shape);
    double inside = 0, outside = 10 / sn_vec_length(way);
    if (contains(&plain, sn_vec_add(middle, sn_vec_scale(way, outside))))
        return false;
    for (int i = 0; i < 60; i++) {
        double t = (inside + outside) / 2;
        if (contains(&plain, sn_vec_add(middle, sn_vec_scale(way, t))))
            inside = t;
        else
            outside = t;
    }
    *sample = sn_vec_add(middle, sn_vec_scale(way, inside));
    return true;
}

static void check_nearest(const sn_shape *shape, sn_vec p, const sn_vec *sample, int n)
{
    sn_surface_point near = sn_shape_nearest(shape, p);
    double least = INFINITY;
    for (int i = 0; i < n; i++)
        least = fmin(least, distance(p, sample[i]));
    CHECK(fabs(near.distance) <= least + 1e-12, "kind %d: %g, but a sample is %g away",
          (int)shape->kind, near.distance, least);
    CHECK(fabs(distance(p, near.at) - fabs(near.distance)) < 1e-14, "length of the distance");
    CHECK(fabs(sn_vec_length(near.normal) - 1) < 1e-14, "normal of length 1");
    sn_vec back = sn_vec_add(near.at, sn_vec_scale(near.normal, near.distance));
    CHECK(distance(p, back) < 1e-14, "kind %d: along the normal", (int)shape->kind);
    if (fabs(near.distance) > 1e-14)
        CHECK((near.distance < 0) == contains(shape, p), "kind %d: side", (int)shape->kind);
    sn_vec step = sn_vec_scale(near.normal, 1e-9);
    CHECK(contains(shape, sn_vec_sub(near.at, step)) && !contains(shape, sn_vec_add(near.at, step)),
          "kind %d: (%g %g %g): the surface is elsewhere", (int)shape->kind, p.x, p.y, p.z);
}

static void nearest_points_of_shapes(void)
{
    sn_vec *sample = SN_NEW(sn_vec, SAMPLES);
    for (int s = 0; s < 2 * SHAPES; s++) {
        sn_shape shape = shapes[s / 2];
        shape.invert = s % 2;
        unsigned long long seed = 7;
        int n = 0;
        for (int i = 0; i < SAMPLES; i++)
            n += surface_sample(&shape, random_vec(&seed, 1), &sample[n]);
        CHECK(n > SAMPLES / 4, "%d samples", n);
        for (int i = 0; i < POINTS; i++)
            check_nearest(&shape, random_vec(&seed, 2), sample, n);
        for (int i = 0; i < POINTS; i++) { /* close to the surface, and right on it */
            sn_vec near = sample[i];
            check_nearest(&shape, near, sample, n);
            check_nearest(&shape, sn_vec_add(near, random_vec(&seed, 1e-6)), sample, n);
        }
        check_nearest(&shape, middle_of(&shape), sample, n);
    }
    sn_free(sample);
}

/* Points with many nearest points, which have exact answers. */
static void points_of_symmetry(void)
{
    sn_shape box = {.kind = SN_SHAPE_BOX, .box = {{-1, -1, -1}, {1, 1, 1}}};
    sn_surface_point near = sn_shape_nearest(&box, (sn_vec){0, 0, 0});
    CHECK(near.distance == -1 && near.at.x == -1 && near.normal.x == -1, "middle of a cube");
    near = sn_shape_nearest(&box, (sn_vec){2, 2, 2});
    CHECK(near.at.x == 1 && near.at.y == 1 && near.at.z == 1, "a corner");
    CHECK(fabs(near.distance - sqrt(3)) < 1e-15, "%g from a corner", near.distance);
    near = sn_shape_nearest(&box, (sn_vec){1, 1, 1});
    CHECK(near.distance == 0 && sn_vec_length(near.normal) == 1, "on a corner");
    sn_shape round = {.kind = SN_SHAPE_CAPSULE, .capsule = {{0, 0, 0}, {0, 0, 2}, 0.5}};
    near = sn_shape_nearest(&round, (sn_vec){0, 0, 1});
    CHECK(near.distance == -0.5 && near.normal.z == 0, "axis of a capsule");
    near = sn_shape_nearest(&round, (sn_vec){0, 0, 3});
    CHECK(near.distance == 0.5 && near.normal.z == 1, "above a capsule");
    round = (sn_shape){.kind = SN_SHAPE_CAPSULE, .capsule = {{1, 1, 1}, {1, 1, 1}, 0.5}};
    near = sn_shape_nearest(&round, (sn_vec){1, 1, 1});
    CHECK(near.distance == -0.5 && sn_vec_length(near.normal) == 1, "a capsule without an axis");
}

static void check_entry(const sn_shape *shape, sn_vec from, sn_vec to)
{
    sn_surface_point entry;
    bool found = sn_shape_enter(shape, from, to, &entry);
    int first = 1;
    while (first <= STEPS && !contains(shape, sn_vec_between(from, to, (double)first / STEPS)))
        first++;
    if (contains(shape, from)) {
        CHECK(!found, "starts inside");
        return;
    }
    CHECK(found || first > STEPS, "kind %d: not seen to enter", (int)shape->kind);
    if (!found)
        return;
    double length = distance(from, to), t = distance(from, entry.at) / length;
    CHECK(distance(entry.at, sn_vec_between(from, to, t)) < 1e-12, "entry off the way");
    CHECK(t <= (double)first / STEPS + 1e-12, "kind %d: enters at %g", (int)shape->kind, t);
    CHECK(first > STEPS || t >= (first - 1.0) / STEPS - 1e-12, "kind %d: enters at %g",
          (int)shape->kind, t);
    CHECK(sn_vec_dot(sn_vec_sub(to, from), entry.normal) < 1e-6 * length, "against the normal");
    CHECK(fabs(sn_shape_nearest(shape, entry.at).distance) < 1e-14, "entry on the surface");
}

static void ways_into_shapes(void)
{
    for (int s = 0; s < 2 * SHAPES; s++) {
        sn_shape shape = shapes[s / 2];
        shape.invert = s % 2;
        unsigned long long seed = 11;
        for (int i = 0; i < 2 * POINTS; i++) {
            sn_vec from = random_vec(&seed, 3), to = random_vec(&seed, 3);
            check_entry(&shape, from, to);
        }
    }
    /* A sheet of paper in a long way. */
    sn_shape sheet = {.kind = SN_SHAPE_BOX, .box = {{-1, 0, -1}, {1, 1e-9, 1}}};
    sn_surface_point entry;
    CHECK(sn_shape_enter(&sheet, (sn_vec){0.3, 70, 0.1}, (sn_vec){-0.2, -30, 0.2}, &entry),
          "a thin plate");
    CHECK(fabs(entry.at.y - 1e-9) < 1e-13 && entry.normal.y == 1, "its upper face");
    CHECK(!sn_shape_enter(&sheet, (sn_vec){3, 1, 0}, (sn_vec){0.9, 1, 0}, &entry), "beside it");
}

/* ---- Meshes ---- */

static sn_surface_point nearest_of_all(const sn_mesh *mesh, sn_vec p)
{
    sn_surface_point best = {.distance = INFINITY, .triangle = -1};
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        sn_vec corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = sn_vec_load(mesh->vertex[mesh->triangle[t][c]]);
        sn_vec at = sn_triangle_point(corner, sn_triangle_nearest(corner, p));
        sn_vec away = sn_vec_sub(p, at);
        if (sn_vec_dot(away, away) < best.distance) {
            best.distance = sn_vec_dot(away, away);
            best.triangle = (int32_t)t;
            best.at = at;
        }
    }
    best.distance = sqrt(best.distance);
    return best;
}

static void check_mesh_nearest(const sn_mesh *mesh, const sn_collider_mesh *m, sn_vec p,
                               bool known_side)
{
    sn_surface_point all = nearest_of_all(mesh, p), near;
    double q[3];
    sn_vec_store(p, q);
    CHECK(sn_collider_mesh_nearest(m, p, INFINITY, &near), "found");
    CHECK(near.triangle == all.triangle && sn_vec_equal(near.at, all.at) &&
              fabs(near.distance) == all.distance,
          "triangle %d at %.17g, expected %d at %.17g", near.triangle, near.distance, all.triangle,
          all.distance);
    CHECK(fabs(sn_vec_length(near.normal) - 1) < 1e-12, "normal");
    if (known_side)
        CHECK((near.distance < 0) == (sn_winding_reference(mesh, q) > 0.5),
              "(%g %g %g): distance %g, winding %g", p.x, p.y, p.z, near.distance,
              sn_winding_reference(mesh, q));
    sn_surface_point again;
    CHECK(sn_collider_mesh_nearest(m, p, all.distance * (1 + 1e-15), &again) &&
              again.triangle == all.triangle,
          "with just the right radius");
    CHECK(all.distance == 0 || !sn_collider_mesh_nearest(m, p, all.distance * (1 - 1e-12), &again),
          "with a radius that is too small");
}

static sn_mesh make(const char *spec)
{
    sn_mesh mesh;
    CHECK(sn_builtin_make(spec, &mesh) == SN_OK, "%s", sn_failure_message());
    return mesh;
}

/* Dents, so that it is not convex; sharp edges stay. */
static void dent(sn_mesh *mesh)
{
    for (int64_t v = 0; v < mesh->n_vertices; v++) {
        double *p = mesh->vertex[v];
        double factor = 1 + 0.3 * sin(7 * p[0] + 3) * cos(5 * p[1]) * sin(6 * p[2] + 1);
        for (int d = 0; d < 3; d++)
            p[d] *= factor;
    }
}

static void nearest_points_of_mesh(const char *spec, bool dented)
{
    sn_mesh mesh = make(spec);
    if (dented)
        dent(&mesh);
    sn_collider_mesh *m;
    CHECK(sn_collider_mesh_create(&mesh, 1, &m) == SN_OK, "%s", sn_failure_message());
    unsigned long long seed = 5;
    sn_box box = sn_mesh_bounds(&mesh);
    sn_vec low = sn_vec_load(box.min), size = sn_vec_sub(sn_vec_load(box.max), low);
    for (int i = 0; i < 8 * POINTS; i++) {
        sn_vec r = random_vec(&seed, 0.8);
        sn_vec p = {low.x + size.x * (0.5 + r.x), low.y + size.y * (0.5 + r.y),
                    low.z + size.z * (0.5 + r.z)};
        check_mesh_nearest(&mesh, m, p, true);
    }
    for (int64_t t = 0; t < mesh.n_triangles; t += 1 + mesh.n_triangles / 100) {
        sn_vec a = sn_vec_load(mesh.vertex[mesh.triangle[t][0]]);
        sn_vec b = sn_vec_load(mesh.vertex[mesh.triangle[t][1]]);
        sn_vec middle = sn_vec_between(a, b, 0.5), aside = random_vec(&seed, 1e-5);
        check_mesh_nearest(&mesh, m, a, false); /* many triangles are equally near */
        check_mesh_nearest(&mesh, m, middle, false);
        check_mesh_nearest(&mesh, m, sn_vec_add(a, aside), true);
        check_mesh_nearest(&mesh, m, sn_vec_add(middle, aside), true);
    }
    check_mesh_nearest(&mesh, m, sn_vec_add(low, sn_vec_scale(size, 0.5)), false);
    sn_collider_mesh_free(m);
    sn_mesh_free(&mesh);
}

/* On a grid of places of the triangle. */
static void nearest_points_of_triangles(void)
{
    unsigned long long seed = 3;
    enum { GRID = 60 };
    for (int i = 0; i < 300; i++) {
        sn_vec corner[3] = {random_vec(&seed, 1), random_vec(&seed, 1), random_vec(&seed, 1)};
        if (i % 10 == 0)
            corner[2] = sn_vec_between(corner[0], corner[1], 0.5 + i / 100.0);
        if (i % 30 == 0)
            corner[1] = corner[2] = corner[0];
        sn_vec p = random_vec(&seed, 1.5);
        double found = distance(p, sn_triangle_point(corner, sn_triangle_nearest(corner, p)));
        double least = INFINITY;
        for (int a = 0; a <= GRID; a++)
            for (int b = 0; a + b <= GRID; b++) {
                sn_weights w = {
                    {(double)a / GRID, (double)b / GRID, (GRID - a - b) / (double)GRID}};
                least = fmin(least, distance(p, sn_triangle_point(corner, w)));
            }
        CHECK(found <= least + 1e-12 && found >= least - 0.05, "%g, sampled %g", found, least);
    }
}

/* The first change from outside to inside that windings show. */
static void ways_into_mesh(void)
{
    sn_mesh mesh = make("builtin:sphere,radius=1,detail=6");
    dent(&mesh);
    sn_collider_mesh *m, *moved;
    CHECK(sn_collider_mesh_create(&mesh, 1, &m) == SN_OK, "%s", sn_failure_message());
    CHECK(sn_collider_mesh_create(&mesh, 1, &moved) == SN_OK, "%s", sn_failure_message());
    double(*shifted)[3] = SN_NEW(double[3], mesh.n_vertices);
    unsigned long long seed = 13;
    int entered = 0;
    enum { FEW_STEPS = 100 };
    for (int i = 0; i < 2 * POINTS; i++) {
        sn_vec from = random_vec(&seed, 2), to = random_vec(&seed, 2), shift = random_vec(&seed, 1);
        double q[3];
        sn_vec_store(from, q);
        if (sn_winding_reference(&mesh, q) > 0.5)
            continue;
        int first = 0;
        for (int s = 1; s <= FEW_STEPS && !first; s++) {
            sn_vec_store(sn_vec_between(from, to, (double)s / FEW_STEPS), q);
            first = sn_winding_reference(&mesh, q) > 0.5 ? s : 0;
        }
        sn_surface_point entry, same;
        bool found = sn_collider_mesh_enter(m, from, to, &entry);
        CHECK(found || !first, "way %d is not seen to enter", i);
        double t = found ? distance(entry.at, from) / distance(to, from) : 0;
        if (found) {
            CHECK(distance(entry.at, sn_vec_between(from, to, t)) < 1e-12, "off the way");
            CHECK(!first || t <= (double)first / FEW_STEPS + 1e-12, "way %d enters at %g", i, t);
            CHECK(sn_vec_dot(entry.normal, sn_vec_sub(to, from)) < 0, "against the normal");
            entered++;
        }
        /* The mesh moves, and the point with the difference. */
        for (int64_t v = 0; v < mesh.n_vertices; v++)
            sn_vec_store(sn_vec_add(sn_vec_load(mesh.vertex[v]), shift), shifted[v]);
        sn_collider_mesh_move(moved, (const double(*)[3])mesh.vertex, (const double(*)[3])shifted);
        bool again = sn_collider_mesh_enter(moved, from, sn_vec_add(to, shift), &same);
        CHECK(again == found, "way %d with a moving mesh", i);
        CHECK(!found || !again || distance(sn_vec_add(entry.at, shift), same.at) < 1e-9,
              "way %d enters a moving mesh elsewhere", i);
        sn_surface_point near, still;
        sn_collider_mesh_nearest(moved, sn_vec_add(to, shift), INFINITY, &near);
        sn_collider_mesh_nearest(m, to, INFINITY, &still);
        CHECK(fabs(near.distance - still.distance) < 1e-12, "nearest on a moved mesh");
    }
    CHECK(entered > POINTS / 10, "%d ways entered", entered);
    sn_collider_mesh_free(m);
    sn_collider_mesh_free(moved);
    sn_free(shifted);
    sn_mesh_free(&mesh);
}

/* Right through corners and edges nothing slips. */
static void ways_through_edges(void)
{
    sn_mesh mesh = make("builtin:sphere,radius=1,detail=6");
    sn_collider_mesh *m;
    CHECK(sn_collider_mesh_create(&mesh, 1, &m) == SN_OK, "%s", sn_failure_message());
    for (int64_t t = 0; t < mesh.n_triangles; t++) {
        sn_vec a = sn_vec_load(mesh.vertex[mesh.triangle[t][0]]);
        sn_vec b = sn_vec_load(mesh.vertex[mesh.triangle[t][1]]);
        sn_vec way[2] = {a, sn_vec_between(a, b, 0.3)};
        for (int i = 0; i < 2; i++) {
            sn_surface_point entry;
            CHECK(sn_collider_mesh_enter(m, sn_vec_scale(way[i], 2), sn_vec_scale(way[i], -1.7),
                                         &entry),
                  "slips through at triangle %d", (int)t);
            CHECK(distance(entry.at, way[i]) < 1e-8, "enters elsewhere");
        }
    }
    sn_collider_mesh_free(m);
    sn_mesh_free(&mesh);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t held = sn_memory_held();
    nearest_points_of_shapes();
    points_of_symmetry();
    ways_into_shapes();
    nearest_points_of_triangles();
    nearest_points_of_mesh("builtin:cube", false);
    nearest_points_of_mesh("builtin:sphere,radius=1,detail=8", true);
    ways_into_mesh();
    ways_through_edges();
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
