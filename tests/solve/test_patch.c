/* Patch tests: an affine field on the surface is found inside, hanging nodes or not; and pins that
 * turn carry a body along without straining it. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"
#include "helpers/scene_text.h"

#include "base/digest.h"
#include "motion/motion.h"
#include "octree/positions.h"
#include "shapes/shape.h"
#include "shot/shot.h"

#include <math.h>
#include <string.h>

static const test_material FLESH = {.young = 2e4, .poisson = 0.45, .density = 1000};
static const double NO_GRAVITY[3];

enum { BOX_CELLS = 16 };
static const double BALL_RADIUS = 0.48; /* in the ball of radius 0.5, which has facets */

/* Turned by about 25 degrees, stretched by up to a quarter, and sheared. */
static const double AFFINE[3][4] = {
    {1.05, -0.48, 0.13, 0.3}, {0.42, 0.92, -0.21, -0.1}, {0.06, 0.17, 1.21, 0.7}};

static void affine(const double from[3], double to[3])
{
    for (int i = 0; i < 3; i++) {
        to[i] = AFFINE[i][3];
        for (int j = 0; j < 3; j++)
            to[i] += AFFINE[i][j] * from[j];
    }
}

static bool on_the_box(const double x[3])
{
    bool on = false;
    for (int d = 0; d < 3; d++)
        on |= x[d] < 0.1 / BOX_CELLS || x[d] > 1 - 0.1 / BOX_CELLS;
    return on;
}

/* A node with a missing cell around it lies outside of the ball: that cell does. */
static bool outside_of_the_ball(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2] > BALL_RADIUS * BALL_RADIUS;
}

/* Inside, nodes start anywhere within so many cells of where they rest. */
static double *start_of(const test_elastic *e, const double *goal, double noise)
{
    double *x = sn_field_new_f64(e->tree);
    sn_key *keys = sn_octree_node_keys(e->tree);
    for (sn_local n = 0; n < e->tree->n_nodes; n++) {
        unsigned long long seed = sn_digest_bytes(&keys[n], sizeof keys[n]);
        for (int d = 0; d < 3; d++) {
            double away = noise * e->body.cell * (2 * test_random(&seed) - 1);
            sn_local i = 3 * n + d;
            x[i] = e->solver.finest.pinned[n] ? goal[i] : e->rest[i] + away;
        }
    }
    sn_free(keys);
    return x;
}

static void affine_field_is_found(test_elastic *e, double noise)
{
    double *goal = sn_field_new_f64(e->tree);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        affine(e->rest + 3 * n, goal + 3 * n);
    double *x = start_of(e, goal, noise), before = test_most_apart(e, x, goal);
    sn_solver_settings settings =
        test_tight_settings(SN_MODE_QUASISTATIC, SN_INTEGRATOR_BACKWARD_EULER);
    test_steps s;
    test_steps_create(&s, &e->solver, &settings, false, NULL, NO_GRAVITY, x);
    sn_step_result r = sn_stepper_advance(&s.stepper, 0);
    double after = test_most_apart(e, s.state.x, goal);
    sn_info("affine field, noise %g: %g away at first, %g in the end, %d Newton steps", noise,
            before, after, r.iterations);
    CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
    CHECK(before > 0.1 && after < 1e-9, "%g away, %g before", after, before);
    test_steps_free(&s);
    sn_free(goal), sn_free(x);
}

static void check_layers(const test_elastic *e)
{
    int64_t nodes = sn_octree_count(e->tree).nodes, pinned = test_count_pinned(e);
    int64_t hanging = test_count_hanging(e);
    CHECK(pinned > 0 && nodes - pinned > 50, "%ld of %ld pinned", (long)pinned, (long)nodes);
    CHECK(hanging > 50, "%ld hang", (long)hanging);
}

static void patch_of_a_box(bool few)
{
    static test_elastic e;
    int cells[3] = {BOX_CELLS, BOX_CELLS, BOX_CELLS};
    test_elastic_create(&e, test_box_of_cells(cells, 1.0 / BOX_CELLS), 1.0 / BOX_CELLS, 0, FLESH,
                        on_the_box);
    check_layers(&e);
    if (!few)
        affine_field_is_found(&e, 0);
    affine_field_is_found(&e, 0.4);
    test_elastic_free(&e);
}

static void patch_of_a_ball(void)
{
    static test_elastic e;
    sn_mesh ball;
    CHECK(sn_builtin_make("builtin:sphere,radius=0.5,detail=16", &ball) == SN_OK, "%s",
          sn_failure_message());
    test_elastic_create(&e, ball, 0.051, 0, FLESH, outside_of_the_ball);
    check_layers(&e);
    affine_field_is_found(&e, 0);
    affine_field_is_found(&e, 0.4);
    test_elastic_free(&e);
}

static const char turning_beam[] =
    "frames: {first: 1, last: 4, fps: 24}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  - name: flesh\n"
    "    mesh: 'builtin:beam'\n"
    "    cell: 0.034\n"
    "    material: {young: 2.0e4, poisson: 0.4, density: 1000, damping: 0}\n"
    "pins:\n"
    "  - name: left\n"
    "    body: flesh\n"
    "    region: {plane: {point: [0, 0, 0], normal: [1, 0, 0]}}\n"
    "    motion: {keys: [{frame: 1}, {frame: 4, rotate: {axis: [1, 2, 3], degrees: 150}, "
    "translate: [1, 2, 3]}]}\n"
    "solver:\n"
    "  mode: quasistatic\n"
    "  newton: {max: 200, tolerance: 1.0e-10}\n"
    "  linear: {max: 200, tolerance: 1.0e-3}\n";

static void is_where_the_pins_took_it(const sn_shot *shot, int frame)
{
    const sn_octree *tree = &shot->model.forest.level[0];
    sn_affine pose = sn_motion_at(&shot->scene->pins.data[0].motion, frame);
    double *rest = sn_field_new_f64(tree), goal[3];
    sn_octree_node_positions(tree, (double(*)[3])rest);
    for (sn_local n = 0; n < tree->n_nodes; n++) {
        sn_affine_apply(&pose, rest + 3 * n, goal);
        for (int d = 0; d < 3; d++)
            CHECK(fabs(shot->state.nodes.x[3 * n + d] - goal[d]) < 1e-9, "node %d, frame %d", n,
                  frame);
    }
    sn_free(rest);
}

/* The root turns by 50 degrees from frame to frame, and the beam comes along unstrained. */
static void turning_pins_carry_the_beam(bool few)
{
    static sn_shot shot;
    sn_scene scene;
    const char *coarse = "bodies[0].cell=0.08";
    sn_status status =
        read_scene_text(MPI_COMM_WORLD, turning_beam, strlen(turning_beam), &coarse, few, &scene);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    status = sn_shot_create(MPI_COMM_WORLD, &scene, &shot);
    CHECK(status == SN_OK, "%s", sn_failure_message());
    for (int frame = scene.frames.first; frame <= scene.frames.last; frame++) {
        sn_frame_row row;
        status = sn_shot_advance(&shot, frame, &row);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        CHECK(row.elastic_energy < 1e-20 && row.inverted == 0, "energy %g", row.elastic_energy);
        CHECK(fabs(row.min_det_f - 1) < 1e-9, "frame %d: det F %g", frame, row.min_det_f);
        is_where_the_pins_took_it(&shot, frame);
        sn_info("turned to frame %d: energy %g, %d Newton steps", frame, row.elastic_energy,
                row.newton);
    }
    sn_shot_free(&shot);
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argv;
    bool few = argc > 1;
    patch_of_a_box(few);
    if (!few)
        patch_of_a_ball();
    turning_pins_carry_the_beam(few);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
