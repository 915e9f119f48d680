/* The part of the surface that faces a direction: shadows of boxes and of a ball, cut into few
 * triangles or many, at rest and turned; at a sharp edge the sides do not count. */
#include "helpers/check.h"
#include "helpers/embedded.h"

#include "base/exact_sum.h"
#include "base/pi.h"
#include "surface/facing.h"

#include <math.h>

static const double ANGLE = SN_PI / 6;

static void turn(const double rest[3], double moved[3])
{
    moved[0] = cos(ANGLE) * rest[0] - sin(ANGLE) * rest[1] + 0.3;
    moved[1] = sin(ANGLE) * rest[0] + cos(ANGLE) * rest[1];
    moved[2] = rest[2] - 0.2;
}

/* A direction goes along. */
static sn_vec turned(sn_vec a)
{
    return (sn_vec){cos(ANGLE) * a.x - sin(ANGLE) * a.y, sin(ANGLE) * a.x + cos(ANGLE) * a.y, a.z};
}

/* Twice as high: faces get other areas, but those at rest count, and normals stay. */
static void stretch(const double rest[3], double moved[3])
{
    moved[0] = rest[0];
    moved[1] = 2 * rest[1];
    moved[2] = rest[2];
}

static double shadow(const test_embedded *e, const sn_facing *f, sn_vec direction)
{
    sn_sum sum = {0};
    for (size_t i = 0; i < e->embedding.n; i++)
        sn_sum_add(&sum, sn_facing_area(f, i, e->x, direction));
    sn_sum_allreduce(e->tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

static void check_shadow(const test_embedded *e, const sn_facing *f, const char *what,
                         sn_vec direction, double expected, double accuracy)
{
    double area = shadow(e, f, direction);
    CHECK(fabs(area - expected) < accuracy * expected, "%s: %.9g, expected %.9g", what, area,
          expected);
}

static void look(const char *mesh, double cell, const double area[3], double accuracy)
{
    const sn_vec axis[3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
    test_bodies bodies = {0};
    test_embedded e;
    sn_facing f;
    test_bodies_add(&bodies, test_builtin(mesh), true, cell);
    test_embed(&bodies, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
    sn_facing_create(&e.embedding, &f);
    for (int d = 0; d < 3; d++) {
        test_embedded_move(&e, test_stay);
        check_shadow(&e, &f, mesh, axis[d], area[d], accuracy);
        test_embedded_move(&e, turn);
        check_shadow(&e, &f, "turned", turned(axis[d]), area[d], accuracy);
    }
    sn_facing_free(&f);
    test_embedded_free(&e);
    test_bodies_free(&bodies);
}

/* The corners of the lower side, and no other vertices, face down, each with what of that side is
 * its own: the upper ones see nothing of it. */
static void edges_are_one_sided(void)
{
    test_bodies bodies = {0};
    test_embedded e;
    sn_facing f;
    test_bodies_add(&bodies, test_builtin("builtin:cube,x=0.5,y=0.25,z=0.4,detail=1"), true, 0.06);
    test_embed(&bodies, MPI_COMM_WORLD, SN_PARTITION_CURVE, &e);
    sn_facing_create(&e.embedding, &f);
    test_embedded_move(&e, stretch);
    for (size_t i = 0; i < e.embedding.n; i++) {
        double place[3];
        sn_embedding_rest(&e.embedding, e.embedding.vertex[i], place);
        double area = sn_facing_area(&f, i, e.x, (sn_vec){0, -1, 0});
        CHECK((area > 0.5 * 0.4 / 7) == (place[1] < 0), "vertex at %g faces down with %g", place[1],
              area);
        CHECK(place[1] < 0 || area < 1e-12, "%g at the top", area);
    }
    check_shadow(&e, &f, "stretched", (sn_vec){0, -1, 0}, 0.5 * 0.4, 1e-9);
    sn_facing_free(&f);
    test_embedded_free(&e);
    test_bodies_free(&bodies);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    const double box[3] = {0.25 * 0.4, 0.5 * 0.4, 0.5 * 0.25};
    const double ball[3] = {SN_PI * 0.16, SN_PI * 0.16, SN_PI * 0.16};
    look("builtin:cube,x=0.5,y=0.25,z=0.4,detail=1", 0.06, box, 1e-9);
    look("builtin:cube,x=0.5,y=0.25,z=0.4,detail=7", 0.06, box, 1e-9);
    look("builtin:sphere,radius=0.4,detail=12", 0.1, ball, 0.02);
    edges_are_one_sided();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
