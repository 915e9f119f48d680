/* Coulomb's law at the end of every step: a block on an incline, whatever the coefficient, the
 * angle, the stiffness of contact and the length of steps. Its tangential force over its normal one
 * never exceeds the coefficient; where it slides it equals it, and the block is as fast as
 * Coulomb's block; where it may stay it stays. */
#include "helpers/check.h"
#include "helpers/scene_text.h"

#include "base/exact_sum.h"
#include "base/pi.h"
#include "shot/shot.h"

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81, FPS = 24;

/* What the impulses may be off: forces balance to a thousandth. */
static const double INACCURACY = 5e-3;

typedef struct {
    double friction, degrees, stiffness;
    int substeps, frames;
} incline;

/* Gravity is turned instead of the floor: down the slope is -x. */
static sn_scene scene_of(const incline *c)
{
    double angle = c->degrees * SN_PI / 180;
    char text[2048];
    snprintf(text, sizeof text,
             "frames: {first: 0, last: %d, fps: %g, substeps: %d}\n"
             "gravity: [%.17g, %.17g, 0]\n"
             "bodies: [{name: block, mesh: 'builtin:cube,x=0.598,y=0.198,z=0.598,detail=6',\n"
             "  cell: 0.1, material: {young: 1e6, poisson: 0.3}}]\n"
             "colliders: [{name: slope, shape: {plane: {point: [0, -0.0991, 0], normal: [0, 1, "
             "0]}},\n"
             "  stiffness: %g, friction: %g}]\n"
             "solver: {integrator: backward_euler, newton: {max: 60, tolerance: 1e-3},\n"
             "  linear: {max: 30, tolerance: 1e-2}}\n",
             c->frames, FPS, c->substeps, -GRAVITY * sin(angle), -GRAVITY * cos(angle),
             c->stiffness, c->friction);
    sn_scene scene;
    CHECK(read_scene_text(MPI_COMM_WORLD, text, strlen(text), NULL, 0, &scene) == SN_OK, "%s",
          sn_failure_message());
    return scene;
}

/* Of the centre of mass. */
static double velocity(const sn_shot *shot, int axis)
{
    const sn_system *system = &shot->built.system;
    sn_sum sums[2] = {0};
    for (sn_local n = 0; n < system->tree->n_nodes; n++) {
        sn_sum_add(&sums[0], system->mass[n]);
        sn_sum_add(&sums[1], system->mass[n] * shot->state.nodes.v[3 * n + axis]);
    }
    sn_sum_allreduce(system->tree->comm, sums, 2);
    return sn_sum_value(&sums[1]) / sn_sum_value(&sums[0]);
}

/* Impulses of the slope on a unit of mass, from the start. */
typedef struct {
    double along, up;
} impulse;

static impulse impulse_at(const sn_shot *shot, const incline *c)
{
    double angle = c->degrees * SN_PI / 180, time = shot->state.nodes.time;
    return (impulse){velocity(shot, 0) + GRAVITY * sin(angle) * time,
                     velocity(shot, 1) + GRAVITY * cos(angle) * time};
}

/* No more than Coulomb's, and no less where it slides. */
static void check_frame(const incline *c, impulse from, impulse to, double speed,
                        const sn_frame_row *row)
{
    double up = to.up - from.up, along = to.along - from.along, most = c->friction * up;
    double inaccuracy = INACCURACY * fmax(up, GRAVITY / FPS);
    CHECK(along < most + inaccuracy, "frame %d: %.4f along, at most %.4f", row->frame, along, most);
    CHECK(speed < 0.1 || along > most - inaccuracy, "frame %d: %.4f along, not %.4f", row->frame,
          along, most);
    CHECK(row->residual <= 1e-3 && row->friction_excess <= SN_MOST_FRICTION_ERROR,
          "frame %d: residual %g, excess %g", row->frame, row->residual, row->friction_excess);
}

static void check_end(const incline *c, const sn_shot *shot)
{
    double angle = c->degrees * SN_PI / 180, time = shot->state.nodes.time;
    double pull = GRAVITY * (sin(angle) - c->friction * cos(angle)), v = -velocity(shot, 0);
    sn_info("friction %g at %g degrees: %.4f m/s, Coulomb's %.4f", c->friction, c->degrees, v,
            fmax(0, pull * time));
    if (pull > 0) /* it falls a tenth of a millimetre first, and free: less than two steps */
        CHECK(fabs(v - pull * time) < 0.005 * pull * time + 0.05, "%g m/s, not %g", v, pull * time);
    else
        CHECK(fabs(v) < 1e-3, "%g m/s", v);
}

static void slides_or_stays(const incline *c)
{
    static sn_shot shot;
    sn_frame_row row;
    sn_scene scene = scene_of(c);
    CHECK(sn_shot_create(MPI_COMM_WORLD, &scene, &shot) == SN_OK, "%s", sn_failure_message());
    impulse before = {0, 0};
    int newton = 0;
    for (int frame = 0; frame <= c->frames; frame++) {
        double speed = frame > 0 ? -velocity(&shot, 0) : 0;
        CHECK(sn_shot_advance(&shot, frame, &row) == SN_OK, "%s", sn_failure_message());
        impulse now = impulse_at(&shot, c);
        check_frame(c, before, now, fmin(speed, -velocity(&shot, 0)), &row);
        before = now;
        newton += row.newton;
    }
    CHECK(newton <= 12 * c->frames * c->substeps, "%d iterations", newton);
    check_end(c, &shot);
    sn_shot_free(&shot);
    sn_scene_free(&scene);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    const incline cases[] = {{0.8, 60, 1e5, 1, 36}, {0.3, 45, 1e5, 1, 12}, {1.5, 75, 1e6, 2, 8},
                             {0.1, 30, 1e4, 4, 6},  {0.8, 60, 1e7, 8, 3},  {1.5, 50, 1e5, 1, 8},
                             {0.5, 25, 1e6, 2, 6}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        slides_or_stays(&cases[i]);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
