/* Flesh against flesh: regions against winding numbers of every point, targets against every
 * triangle, nothing where nothing intersects, and the same springs, bit for bit, however the
 * forest is cut. */
#include "contact/self/facets.h"
#include "contact/self/regions.h"
#include "helpers/check.h"
#include "helpers/self_scene.h"
#include "mesh/triangle.h"

#include <math.h>
#include <omp.h>
#include <string.h>

/* ---- Every point against every triangle ---- */

/* Out of the flesh, blended from the triangles around a point by area. */
static sn_vec normal_at(const self_scene *s, size_t point)
{
    const sn_self_surface *f = &s->contacts.surface;
    sn_vec sum = {0, 0, 0};
    for (size_t i = f->first[point]; i < f->first[point + 1]; i++) {
        sn_self_triangle t = sn_self_triangle_of(f, f->around[i]);
        sn_vec area = sn_self_twice_area(f, s->contacts.deformed.body, &t);
        sum = sn_vec_add(sum, sn_vec_scale(area, f->outward[t.body]));
    }
    return sn_vec_unit(sum);
}

/* In how many layers of flesh a point of the surface lies, but for its own: just outside of it. */
static double depth_of(const self_scene *s, size_t point)
{
    const sn_self_surface *f = &s->contacts.surface;
    sn_vec n = normal_at(s, point);
    sn_vec p = sn_vec_load(s->e.position[f->place[point]]);
    double q[3], depth = 0;
    sn_vec_store(sn_vec_add(p, sn_vec_scale(n, 1e-7)), q);
    for (int b = 0; b < s->e.tree->bodies->n; b++)
        depth += s->contacts.deformed.outward[b] *
                 sn_winding_reference(&s->contacts.deformed.body[b], q);
    return depth;
}

static bool *inside_by_regions(const self_scene *s)
{
    const sn_self_contacts *c = &s->contacts;
    bool *inside = SN_NEW_ZERO(bool, c->surface.n_points);
    sn_box bounds = sn_self_bounds(&c->surface, s->contacts.deformed.body);
    sn_exact_grid grid = sn_exact_grid_around(&bounds);
    sn_crossing_list crossings;
    sn_self_regions regions;
    self_scene_must(
        sn_self_find_crossings(&c->surface, s->contacts.deformed.body, &grid, &crossings));
    sn_self_find_regions(&c->surface, &crossings, &regions);
    for (size_t i = 0; i < regions.n; i++)
        inside[regions.point[i]] = !regions.beside[i];
    sn_vector_free(&crossings);
    sn_self_regions_free(&regions);
    return inside;
}

static void check_regions(const self_scene *s, const char *name)
{
    const sn_self_surface *f = &s->contacts.surface;
    bool *inside = inside_by_regions(s);
    size_t n = 0;
    for (size_t p = 0; p < f->n_points; p++) {
        double depth = depth_of(s, p);
        n += inside[p];
        CHECK(inside[p] == (depth > 0.5), "%s: point %ld has %g layers around it, found %d", name,
              (long)f->number[p], depth, inside[p]);
    }
    CHECK(n == s->contacts.inside, "%s: %zu points inside, not %zu", name, s->contacts.inside, n);
    sn_free(inside);
}

/* Of these bodies, which only move along x. */
static sn_vec deformed_place(const sn_flesh_point *point)
{
    double place[3];
    self_scene_together(point->at, place);
    return sn_vec_load(place);
}

static void corners_now(const self_scene *s, int body, int64_t triangle, sn_vec p[3])
{
    const sn_mesh *now = &s->contacts.deformed.body[body];
    for (int c = 0; c < 3; c++)
        p[c] = sn_vec_load(now->vertex[now->triangle[triangle][c]]);
}

static double distance_to(const sn_vec p[3], sn_vec start)
{
    sn_vec place = sn_triangle_point(p, sn_triangle_nearest(p, start));
    return sn_vec_length(sn_vec_sub(place, start));
}

/* How far the nearest of a body's triangles is. */
static double nearest_by_brute_force(const self_scene *s, int body, sn_vec start)
{
    double nearest = INFINITY;
    for (int64_t t = 0; t < s->contacts.deformed.body[body].n_triangles; t++) {
        sn_vec p[3];
        corners_now(s, body, t, p);
        nearest = fmin(nearest, distance_to(p, start));
    }
    return nearest;
}

/* Is this the normal of one of the triangles that are that near? */
static bool is_normal_at(const self_scene *s, int body, sn_vec start, double nearest, sn_vec normal)
{
    for (int64_t t = 0; t < s->contacts.deformed.body[body].n_triangles; t++) {
        sn_vec p[3];
        corners_now(s, body, t, p);
        sn_vec out =
            sn_vec_scale(sn_vec_unit(sn_triangle_normal(p)), s->contacts.deformed.outward[body]);
        if (distance_to(p, start) < nearest + 1e-9 && sn_vec_dot(out, normal) > 1 - 1e-12)
            return true;
    }
    return false;
}

/* The push is along the way to the target, or along the normal there if the two differ by less than
 * a tenth: the depth is then less than the distance, by half a percent at most. */
static void check_push(const self_scene *s, int body, sn_vec start, sn_vec way, sn_vec normal)
{
    double distance = sn_vec_length(way), depth = sn_vec_dot(way, normal);
    bool along_way = fabs(depth - distance) < 1e-9;
    CHECK(along_way || is_normal_at(s, body, start, distance, normal), "the normal's direction");
    CHECK(depth <= distance + 1e-9 && depth >= distance / sqrt(1.01) - 1e-9, "%g deep at %g", depth,
          distance);
    CHECK(fabs(sn_vec_length(normal) - 1) < 1e-12, "its length");
}

/* For two bodies: every inner point has a spring, to a place in the other body as near as all of
 * its triangles allow, with half of the pressure on the area that faces it. */
static void check_targets(const self_scene *s)
{
    const sn_self_surface *f = &s->contacts.surface;
    const sn_mesh *shape = s->contacts.deformed.body;
    CHECK(s->springs.count == s->contacts.inside, "%zu of %zu points have a spring",
          s->springs.count, s->contacts.inside);
    for (size_t i = 0; i < s->springs.count; i++) {
        const sn_spring *spring = &s->springs.data[i];
        int64_t number = (int64_t)(spring->number & ~SN_SELF_SPRING_BIT);
        size_t p = sn_self_find_point(f, number);
        int other = 1 - spring->point[0].body;
        sn_vec start = sn_vec_load(s->e.position[f->place[p]]),
               normal = sn_vec_load(spring->normal);
        sn_vec way = sn_vec_sub(deformed_place(&spring->point[1]), start);
        double nearest = nearest_by_brute_force(s, other, start);
        sn_self_facets facets = sn_self_facets_of(f, shape, p);
        CHECK(spring->point[1].body == other, "a spring to its own body");
        CHECK(fabs(sn_vec_length(way) - nearest) < 1e-9, "point %ld: %g away, not %g", (long)number,
              sn_vec_length(way), nearest);
        check_push(s, other, start, way, normal);
        CHECK(spring->one_sided && spring->friction == SELF_SETTINGS.law.friction, "what it is");
        double area = sn_self_facing(&facets, normal);
        CHECK(fabs(spring->normal_stiffness - SELF_SETTINGS.law.pressure / 2 * area) < 1e-12,
              "both surfaces push, each by half");
    }
}

/* ---- Two spheres ---- */

static void add_spheres(test_bodies *f)
{
    test_bodies_add(f, test_builtin("builtin:sphere,radius=0.5,detail=12"), true, 0.1);
    test_bodies_add(
        f, self_scene_moved(test_builtin("builtin:sphere,radius=0.4,detail=11"), 1.5, 0.03, 0.02),
        true, 0.08);
}

static void two_spheres(void)
{
    test_bodies f = {0};
    self_scene s;
    add_spheres(&f);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    self_scene_approach = 0;
    self_scene_find(&s, self_scene_together);
    CHECK(self_scene_total(MPI_COMM_WORLD, s.springs.count) == 0,
          "springs between spheres far apart");
    self_scene_approach = 0.75;
    self_scene_find(&s, self_scene_together);
    CHECK(self_scene_total(MPI_COMM_WORLD, s.springs.count) > 40, "too few springs");
    check_regions(&s, "spheres");
    check_targets(&s);
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* ---- Shallow overlap ---- */

/* A bowl, whose rim the other sphere crosses: its curve ends there. */
static void open_bowl(test_bodies *f)
{
    sn_mesh bowl = self_scene_moved(test_builtin("builtin:sphere,radius=0.5,detail=12"), 1.5, 0, 0);
    int64_t n = 0;
    for (int64_t t = 0; t < bowl.n_triangles; t++) {
        bool cut = false;
        for (int c = 0; c < 3; c++)
            cut |= bowl.vertex[bowl.triangle[t][c]][1] > 0.25;
        if (!cut) {
            memmove(bowl.triangle[n], bowl.triangle[t], sizeof *bowl.triangle);
            bowl.face[n++] = bowl.face[t];
        }
    }
    bowl.n_triangles = n;
    test_bodies_add(
        f, self_scene_moved(test_builtin("builtin:sphere,radius=0.3,detail=10"), 0.3, 0.3, 0), true,
        0.08);
    test_bodies_add(f, bowl, false, 0.08);
}

/* Vertices are anywhere: every edge passes through hundreds of triangles. */
static void crumpled_flesh_is_refused(void)
{
    test_bodies f = {0};
    self_scene s;
    test_bodies_add(&f, test_builtin("builtin:sphere,radius=0.3,detail=20"), true, 0.1);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    const sn_self_contacts *c = &s.contacts;
    sn_mesh shape = c->deformed.body[0];
    shape.vertex = SN_NEW(double[3], shape.n_vertices);
    unsigned long long state = 5;
    for (int64_t i = 0; i < 3 * shape.n_vertices; i++)
        shape.vertex[i / 3][i % 3] = test_random(&state);
    sn_box bounds = {{0, 0, 0}, {1, 1, 1}};
    sn_exact_grid grid = sn_exact_grid_around(&bounds);
    sn_crossing_list crossings;
    sn_status status = sn_self_find_crossings(&c->surface, &shape, &grid, &crossings);
    CHECK(status == SN_INACCURATE && !crossings.data && strstr(sn_failure_message(), "crumpled"),
          "%d triangles: status %d", (int)shape.n_triangles, status);
    sn_free(shape.vertex);
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* Where a curve ends, few triangles may be targets: the nearest place on those is taken. */
static void sphere_on_a_rim(void)
{
    test_bodies f = {0};
    self_scene s;
    open_bowl(&f);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    const sn_self_surface *surface = &s.contacts.surface;
    int64_t seen = 0;
    for (self_scene_approach = 0.5; self_scene_approach < 0.58; self_scene_approach += 0.05) {
        self_scene_find(&s, self_scene_together);
        seen += (int64_t)s.springs.count;
        for (size_t i = 0; i < s.springs.count; i++) {
            const sn_spring *spring = &s.springs.data[i];
            int64_t number = (int64_t)(spring->number & ~SN_SELF_SPRING_BIT);
            size_t p = sn_self_find_point(surface, number);
            sn_vec start = sn_vec_load(s.e.position[surface->place[p]]);
            sn_vec way = sn_vec_sub(deformed_place(&spring->point[1]), start);
            double distance = sn_vec_length(way);
            double least = nearest_by_brute_force(&s, spring->point[1].body, start);
            CHECK(distance <= 2 * surface->cell, "a target is %g away", distance);
            CHECK(distance >= least - 1e-9, "nearer than the nearest: %g, %g", distance, least);
        }
        sn_self_contacts_reset(&s.contacts);
    }
    CHECK(self_scene_total(MPI_COMM_WORLD, (size_t)seen) > 10, "too few springs");
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* ---- One body in its own way ---- */

/* Coils a beam along x into a spiral whose turns overlap. */
static void coil(const double rest[3], double moved_to[3])
{
    const double FULL_TURN = 6.283185307179586;
    double angle = 1.2 * FULL_TURN * rest[0], radius = 0.5 + 0.11 * angle / FULL_TURN;
    moved_to[0] = (radius + rest[1]) * sin(angle);
    moved_to[1] = (radius + rest[1]) * cos(angle);
    moved_to[2] = 3 * rest[2] + 0.02 * angle;
}

static sn_mesh slender_beam(void)
{
    sn_mesh mesh = test_builtin("builtin:beam,height=0.16,width=0.05,detail=48");
    sn_box box = sn_mesh_bounds(&mesh);
    double size[3] = {1, 0.16, 0.05};
    for (int64_t v = 0; v < mesh.n_vertices; v++)
        for (int d = 0; d < 3; d++)
            mesh.vertex[v][d] =
                size[d] * (mesh.vertex[v][d] - box.min[d]) / (box.max[d] - box.min[d]);
    return mesh;
}

static void coiled_beam(void)
{
    test_bodies f = {0};
    self_scene s;
    test_bodies_add(&f, slender_beam(), true, 0.02);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    self_scene_find(&s, test_stay);
    CHECK(self_scene_total(MPI_COMM_WORLD, s.springs.count) == 0, "springs in a beam at rest");
    self_scene_find(&s, coil);
    int64_t inside = self_scene_total(MPI_COMM_WORLD, s.contacts.inside);
    int64_t springs = self_scene_total(MPI_COMM_WORLD, s.springs.count);
    CHECK(inside > 50 && springs == inside, "%ld springs for %ld points", (long)springs,
          (long)inside);
    check_regions(&s, "coil");
    for (size_t i = 0; i < s.springs.count; i++) {
        const sn_flesh_point *p = s.springs.data[i].point;
        CHECK(fabs(fabs(p[0].at[0] - p[1].at[0]) - 1 / 1.2) < 0.1,
              "not from turn to turn: from %g to %g", p[0].at[0], p[1].at[0]);
    }
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* ---- Nothing where nothing intersects, and dirty surfaces ---- */

static void creature_at_rest(void)
{
    test_bodies f = {0};
    self_scene s;
    test_bodies_add(&f, test_builtin("builtin:creature,detail=60"), true, 0.03);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    self_scene_find(&s, test_stay);
    CHECK(self_scene_total(MPI_COMM_WORLD, s.contacts.inside) == 0, "something is inside");
    CHECK(s.springs.count == 0, "a creature at rest has springs");
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* Overlap that the input has is not a contact. */
static void overlap_at_rest(void)
{
    test_bodies f = {0};
    self_scene s;
    sn_mesh a = test_builtin("builtin:sphere,radius=0.5,detail=9");
    sn_mesh b =
        self_scene_moved(test_builtin("builtin:sphere,radius=0.5,detail=9"), 0.7, 0.01, 0.02);
    test_bodies_add(&f, test_meshes_joined(a, b), true, 0.1);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    self_scene_find(&s, test_stay);
    CHECK(self_scene_total(MPI_COMM_WORLD, s.contacts.inside) > 10, "no overlap");
    CHECK(s.springs.count == 0, "springs at rest");
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* Boxes that stand on each other touch, with faces, edges and corners in special positions:
 * whatever is found is not deep. */
static void stacked_boxes(void)
{
    test_bodies f = {0};
    self_scene s;
    double low[3] = {0, 0, 0}, high[3] = {0.5, 0.5, 0.5};
    double low2[3] = {1, 0.125, 0}, high2[3] = {1.5, 0.5, 0.5};
    test_bodies_add(&f, test_box(low, high), true, 0.0625);
    test_bodies_add(&f, test_box(low2, high2), true, 0.0625);
    self_scene_open(&s, &f, MPI_COMM_WORLD, SN_PARTITION_CURVE);
    self_scene_approach = 0.5;
    self_scene_find(&s, self_scene_together);
    self_scene_must(sn_self_contacts_commit(&s.contacts, s.e.x, test_positions(&s.e)));
    CHECK(s.contacts.deepest < 1e-8, "%g deep", s.contacts.deepest);
    self_scene_close(&s);
    test_bodies_free(&f);
}

/* ---- The same on any number of ranks ---- */

typedef void add_bodies(test_bodies *f);

static void add_beam(test_bodies *f)
{
    test_bodies_add(f, slender_beam(), true, 0.02);
}

typedef struct {
    uint64_t first, second, state;
    int64_t springs;
    double deepest;
} outcome;

static void nudged(const double rest[3], double moved_to[3])
{
    self_scene_together(rest, moved_to);
    if (rest[0] > 0.75)
        moved_to[1] += 0.01;
}

static outcome outcome_on(const test_bodies *f, MPI_Comm comm, sn_partition_method method,
                          test_motion *motion, test_motion *then)
{
    self_scene s;
    outcome o;
    self_scene_open(&s, f, comm, method);
    self_scene_find(&s, motion);
    o.first = self_scene_digest(&s);
    o.springs = self_scene_total(comm, s.springs.count);
    self_scene_must(sn_self_contacts_commit(&s.contacts, s.e.x, test_positions(&s.e)));
    o.deepest = s.contacts.deepest;
    self_scene_find(&s, then);
    self_scene_must(sn_self_contacts_commit(&s.contacts, s.e.x, test_positions(&s.e)));
    self_scene_find(&s, then);
    o.second = self_scene_digest(&s);
    o.state = sn_self_contacts_digest(&s.contacts);
    self_scene_close(&s);
    return o;
}

static void compare_outcomes(const char *name, const outcome *all, const outcome *alone)
{
    CHECK(alone->springs == all->springs, "%s: %ld springs, not %ld", name, (long)all->springs,
          (long)alone->springs);
    CHECK(alone->first == all->first, "%s: not the springs of one rank with one thread", name);
    CHECK(alone->second == all->second, "%s: not its springs after a step", name);
    CHECK(alone->state == all->state, "%s: not its state", name);
    CHECK(alone->deepest == all->deepest, "%s: not its depth", name);
}

static void same_everywhere(const char *name, add_bodies *add, sn_partition_method method,
                            test_motion *motion, test_motion *then)
{
    test_bodies f = {0};
    add(&f);
    omp_set_num_threads(1);
    outcome alone = {0};
    if (test_is_mine(0))
        alone = outcome_on(&f, MPI_COMM_SELF, SN_PARTITION_CURVE, motion, then);
    test_share(0, &alone, sizeof alone);
    omp_set_num_threads(2);
    outcome all = outcome_on(&f, MPI_COMM_WORLD, method, motion, then);
    CHECK(alone.springs > 10 && alone.deepest > 0, "%s: %ld springs", name, (long)alone.springs);
    compare_outcomes(name, &all, &alone);
    test_bodies_free(&f);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    two_spheres();
    sphere_on_a_rim();
    crumpled_flesh_is_refused();
    coiled_beam();
    creature_at_rest();
    overlap_at_rest();
    stacked_boxes();
    self_scene_approach = 0.75;
    same_everywhere("spheres", add_spheres, SN_PARTITION_PARMETIS, self_scene_together, nudged);
    same_everywhere("coil", add_beam, SN_PARTITION_CURVE, coil, coil);
    self_scene_approach = 0.55;
    same_everywhere("bowl", open_bowl, SN_PARTITION_CURVE, self_scene_together, nudged);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
