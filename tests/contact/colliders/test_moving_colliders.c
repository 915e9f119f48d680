/* Colliders that move: thin plates that pass through in one step, edges of tables that are left,
 * and floors that slide below a ball. */
#include "helpers/check.h"
#include "helpers/colliding.h"
#include "helpers/scene_text.h"

#include <math.h>
#include <string.h>

/* ---- Fast and thin ---- */

static double lift;

static void test_lifted(const double rest[3], double moved[3])
{
    moved[0] = rest[0];
    moved[1] = rest[1] + lift;
    moved[2] = rest[2];
}

/* A plate, as high as `thickness`, whose upper face goes from y = -2 to y = 0.2 in one frame. */
static void plate_passes(const char *colliders)
{
    test_colliding s;
    test_colliding_create(&s, MPI_COMM_WORLD, colliders);
    lift = 0;
    test_colliding_start(&s, 0, test_stay);
    for (int again = 0; again < 3; again++) { /* it stays in contact after the step */
        sn_spring_list springs =
            test_colliding_find(&s, again ? 1.0 + 0.01 * again : 1, test_lifted);
        double top = 0.2 + 0.022 * again; /* it goes on at the same speed */
        for (size_t i = 0; i < s.e.embedding.n; i++) {
            const sn_spring *k = test_colliding_spring(&springs, 0, s.e.embedding.vertex[i]);
            double height = s.e.position[i][1] - top;
            CHECK((k != NULL) == (height <= COLLIDING_CELL / 2),
                  "height %g above the plate, time %d: %s", height, again, colliders);
            if (k && height < -0.05) {
                CHECK(k->normal[1] > 0.999999, "pushed by %g up", k->normal[1]);
                CHECK(fabs(k->target[1] - top) < 1e-9, "up to %g", k->target[1]);
            }
        }
        sn_vector_free(&springs);
        test_colliding_commit(&s, again ? 1.0 + 0.01 * again : 1, test_lifted);
        sn_penetration worst = sn_colliders_worst(&s.c);
        CHECK(fabs(worst.depth - (0.5 + top)) < 1e-6 && worst.deepest == worst.depth, "%g deep",
              worst.depth);
        CHECK(worst.cells > SN_MOST_PENETRATED_CELLS && worst.collider == 0, "%g cells",
              worst.cells);
        CHECK(fabs(worst.position[1] + 0.5) < 1e-6, "deepest at %g", worst.position[1]);
    }
    lift = 1; /* out of it the way it came, above: forgotten */
    test_colliding_commit(&s, 1.02, test_lifted);
    CHECK(s.memory.count == 0 && sn_colliders_worst(&s.c).depth == 0, "%zu contacts are kept",
          s.memory.count);
    test_colliding_free(&s);
}

static void thin_plates(void)
{
    plate_passes("colliders: [{name: a, shape: {box: {min: [-2, -0.001, -2], max: [2, 0, 2]}},\n"
                 "  motion: {keys: [{frame: 0, translate: [0, -2, 0]},\n"
                 "                  {frame: 2, translate: [0, 2.4, 0]}]}}]\n");
    /* A rigid mesh, turned over. */
    plate_passes("colliders: [{name: a, shape: {mesh: 'builtin:cube,x=4,y=0.001,z=4,detail=7'},\n"
                 "  motion: {keys: [{frame: 0, translate: [0.01, -2.0005, 0.03],\n"
                 "                   rotate: {axis: [0, 0, 1], degrees: 180}},\n"
                 "                  {frame: 2, translate: [0.01, 2.3995, 0.03],\n"
                 "                   rotate: {axis: [0, 0, 1], degrees: 180}}]}}]\n");
    /* One that is sheared on the way: each vertex goes straight. */
    plate_passes("colliders: [{name: a, shape: {mesh: 'builtin:cube,x=4,y=0.001,z=4,detail=7'},\n"
                 "  motion: {keys: [{frame: 0, affine: [1,0,0,0, 0,1,0,-2.0005, 0,0,1,0]},\n"
                 "             {frame: 2, affine: [1.2,0,0.1,0.1, 0,1,0,2.3995, 0,0,1,0]}]}}]\n");
}

static void plate_in_sequence(void)
{
    int rank;
    char base[SCENE_NAME_BYTES], text[512];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    scene_file_name(MPI_COMM_WORLD, base);
    if (rank == 0)
        test_sequence_write(base, 5, 12);
    MPI_Barrier(MPI_COMM_WORLD);
    snprintf(text, sizeof text, "colliders: [{name: a, motion: {sequence: '%s_##.obj'}}]\n", base);
    plate_passes(text);
    if (rank == 0)
        test_sequence_remove(base, 5);
}

static double aside;

static void test_aside(const double rest[3], double moved[3])
{
    test_lifted(rest, moved);
    moved[0] += aside;
}

/* Off the edge of a table: nothing holds the ball up any more. */
static void slides_off(const char *colliders)
{
    test_colliding s;
    test_colliding_create(&s, MPI_COMM_WORLD, colliders);
    lift = -0.02; /* the table is at -0.5 */
    aside = 0;
    test_colliding_start(&s, 0, test_aside);
    CHECK(sn_colliders_worst(&s.c).depth > 0.01, "on the table");
    aside = 1.3;
    test_colliding_commit(&s, 1, test_aside);
    lift = -0.1;
    sn_spring_list springs = test_colliding_find(&s, 2, test_aside);
    CHECK(springs.count == 0, "%zu springs still hold", springs.count);
    sn_vector_free(&springs);
    test_colliding_commit(&s, 2, test_aside);
    CHECK(sn_colliders_worst(&s.c).depth == 0, "%g deep", sn_colliders_worst(&s.c).depth);
    test_colliding_free(&s);
}

static void tables(void)
{
    slides_off(
        "colliders: [{name: a, shape: {box: {min: [-0.6, -1, -0.6], max: [0.6, -0.5, 0.6]}}}]\n");
    slides_off("colliders: [{name: a, shape: {mesh: 'builtin:cube,x=1.2,y=0.5,z=1.2,detail=6'},\n"
               "  motion: {keys: [{frame: 0, translate: [0, -0.75, 0]}]}}]\n");
}

/* ---- Friction ---- */

/* A floor that slides under the ball: the anchors go with it until they slip. */
static void sliding_floor(const char *colliders)
{
    test_colliding s;
    test_colliding_create(&s, MPI_COMM_WORLD, colliders);
    lift = -0.02; /* the floor is at -0.5 */
    test_colliding_start(&s, 0, test_lifted);
    for (int frame = 1; frame <= 4; frame++) {
        sn_spring_list springs = test_colliding_find(&s, frame, test_lifted);
        size_t pushed = 0;
        for (size_t i = 0; i < springs.count; i++) {
            const sn_spring *k = &springs.data[i];
            double x[3], depth = 0;
            for (size_t v = 0; v < s.e.embedding.n; v++)
                if ((uint64_t)s.e.embedding.vertex[v] == k->number)
                    memcpy(x, s.e.position[v], sizeof x);
            depth = -0.5 - x[1];
            if (!(depth > 0))
                continue;
            pushed++;
            /* It slides by 0.003 a frame; what the last step left is cut at the limit. */
            double limit = 0.25 * depth / 0.5, left = fmin(0.003 * (frame - 1), limit);
            CHECK(fabs(k->target[0] - x[0] - (left + 0.003)) < 1e-9,
                  "frame %d: pulled by %g, expected %g", frame, k->target[0] - x[0], left + 0.003);
            CHECK(fabs(k->tangential_stiffness - 0.5 * k->normal_stiffness) <
                      1e-12 * k->normal_stiffness,
                  "tangential stiffness");
        }
        unsigned long long total = pushed;
        MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(total > 0, "nothing touches the floor");
        sn_vector_free(&springs);
        test_colliding_commit(&s, frame, test_lifted);
    }
    test_colliding_free(&s);
}

static void sliding_floors(void)
{
    sliding_floor("colliders: [{name: a, friction: 0.25, stiffness: 10, tangential_stiffness: 5,\n"
                  "  shape: {plane: {point: [0, -0.5, 0], normal: [0, 1, 0]}}, motion: {keys:\n"
                  "  [{frame: 0}, {frame: 4, translate: [0.012, 0, 0]}]}}]\n");
    /* A mesh whose pose is not rigid: it is twice as high. */
    sliding_floor("colliders: [{name: a, friction: 0.25, stiffness: 10, tangential_stiffness: 5,\n"
                  "  shape: {mesh: 'builtin:cube,x=4,y=1,z=4,detail=9'}, motion: {keys:\n"
                  "  [{frame: 0, affine: [1,0,0,0.01, 0,2,0,-1.5, 0,0,1,0.03]},\n"
                  "   {frame: 4, affine: [1,0,0,0.022, 0,2,0,-1.5, 0,0,1,0.03]}]}}]\n");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    size_t held = sn_memory_held();
    thin_plates();
    plate_in_sequence();
    tables();
    sliding_floors();
    CHECK(sn_memory_held() == held, "%zu bytes were not freed", sn_memory_held() - held);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
