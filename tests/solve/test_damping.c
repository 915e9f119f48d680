/* Damping as a scene gives it: the first swing of a beam dies with the ratio of damping
 * beta * omega / 2, also where one cell is all of its thickness and bending is all in hourglass
 * modes; with damping in a part of the body only, with that part's share of the swing's energy. */
#include "helpers/check.h"
#include "helpers/scene_text.h"
#include "shot/shot.h"

#include "base/exact_sum.h"
#include "base/pi.h"
#include "octree/positions.h"

#include <math.h>

static const double YOUNG = 1e6, DENSITY = 1000, LENGTH = 1;
static const double SWING = 1e-3; /* of the tip */
static const double RATIO = 0.06; /* of damping, to critical, if all of the beam had it */
static const double PART = 0.25;  /* of the length, at the root */

/* The elements fill 16 x 2 x 2 cells around the origin, or 16 x 1 x 1; x = -LENGTH / 2 is held. */
enum { LONG = 16 };

/* A swing and a half. */
enum { STEPS_PER_PERIOD = 40, STEPS = 3 * STEPS_PER_PERIOD / 2 + 2 };

/* The first root of cos b cosh b = -1, and the shape that belongs to it. */
static const double FIRST_ROOT = 1.875104068711961;
static const double SHAPE_RATIO = 0.7340955137589128;

/* About what it swings with, in radians a second: Euler and Bernoulli's first frequency. */
static double frequency_in_theory(int thick)
{
    double gyration = LENGTH * thick / LONG / sqrt(12);
    return FIRST_ROOT * FIRST_ROOT * gyration * sqrt(YOUNG / DENSITY) / (LENGTH * LENGTH);
}

static double shape(double from_root)
{
    double b = FIRST_ROOT * from_root / LENGTH;
    return 0.5 * (cosh(b) - cos(b) - SHAPE_RATIO * (sinh(b) - sin(b)));
}

static double slope(double from_root)
{
    double b = FIRST_ROOT * from_root / LENGTH;
    return 0.5 * FIRST_ROOT / LENGTH * (sinh(b) + sin(b) - SHAPE_RATIO * (cosh(b) - cos(b)));
}

/* Of the energy of bending, between the root and a part of the length. */
static double energy_up_to(double part)
{
    enum { STRIPS = 2000 };
    double sum = 0;
    for (int i = 0; i < STRIPS; i++) {
        double b = FIRST_ROOT * part * (i + 0.5) / STRIPS;
        double curvature = cosh(b) + cos(b) - SHAPE_RATIO * (sinh(b) + sin(b));
        sum += curvature * curvature * part / STRIPS;
    }
    return sum;
}

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(status, __FILE__, __LINE__, "%s", sn_failure_message());
}

/* Velocities of the first mode; cross sections stay plane. */
static void strike(sn_shot *shot, const double *rest, double speed)
{
    double *v = shot->state.nodes.v;
    for (sn_local n = 0; n < shot->model.forest.level[0].n_nodes; n++) {
        double from_root = rest[3 * n] + LENGTH / 2;
        if (shot->built.pins.pinned[n])
            continue;
        v[3 * n] = -speed * slope(from_root) * rest[3 * n + 1];
        v[3 * n + 1] = speed * shape(from_root);
    }
}

/* How high the nodes at the tip are, on average. */
static double tip_of(const sn_shot *shot, const double *rest)
{
    sn_sum sum[2] = {0};
    for (sn_local n = 0; n < shot->model.forest.level[0].n_nodes; n++)
        if (rest[3 * n] > LENGTH / 2 - 1e-6) {
            sn_sum_add(&sum[0], shot->state.nodes.x[3 * n + 1] - rest[3 * n + 1]);
            sn_sum_add(&sum[1], 1);
        }
    sn_sum_allreduce(MPI_COMM_WORLD, sum, 2);
    return sn_sum_value(&sum[0]) / sn_sum_value(&sum[1]);
}

typedef struct {
    double frequency; /* radians a second, from two crossings of zero in one direction */
    double left;      /* of the swing after a period */
} swing;

static swing observe(const double *tip, double h)
{
    double crossing[2] = {0}, before = 0, after = 0;
    int found = 0;
    for (int i = 1; i <= STEPS; i++) {
        if (tip[i - 1] > 0 && tip[i] <= 0 && found < 2)
            crossing[found++] = h * (i - 1 + tip[i - 1] / (tip[i - 1] - tip[i]));
        if (i <= STEPS_PER_PERIOD / 2)
            before = fmax(before, tip[i]);
        if (i >= STEPS_PER_PERIOD)
            after = fmax(after, tip[i]);
    }
    CHECK(found == 2, "%d crossings", found);
    return (swing){2 * SN_PI / (crossing[1] - crossing[0]), after / before};
}

/* `material` is what the scene says of the damping. */
static swing swing_of(int thick, const char *material)
{
    char text[2048];
    double cell = LENGTH / LONG, h = 2 * SN_PI / frequency_in_theory(thick) / STEPS_PER_PERIOD;
    snprintf(text, sizeof text,
             "gravity: [0, 0, 0]\n"
             "bodies: [{name: beam, mesh: 'builtin:cube,x=%.17g,y=%.17g,z=%.17g', cell: %.17g,\n"
             "  coarsest: %.17g,\n"
             "  material: {young: %g, poisson: 0, density: %g, %s}}]\n"
             "pins: [{name: root, body: beam,\n"
             "  region: {plane: {point: [%.17g, 0, 0], normal: [1, 0, 0]}}}]\n"
             "solver: {integrator: bdf2, newton: {max: 20, tolerance: 1e-4},\n"
             "  linear: {max: 50, tolerance: 1e-5}}\n",
             LENGTH, thick * cell, thick * cell, cell, cell, YOUNG, DENSITY, material,
             1e-6 - LENGTH / 2);
    sn_scene scene;
    static sn_shot shot;
    must(read_scene_text(MPI_COMM_WORLD, text, strlen(text), NULL, 0, &scene));
    must(sn_shot_create(MPI_COMM_WORLD, &scene, &shot));
    sn_octree *tree = &shot.model.forest.level[0];
    double *rest = sn_field_new_f64(tree), tip[STEPS + 1] = {0};
    sn_octree_node_positions(tree, (double(*)[3])rest);
    strike(&shot, rest, SWING * frequency_in_theory(thick));
    for (int i = 1; i <= STEPS; i++) {
        sn_step_result r = sn_stepper_advance(&shot.built.stepper, h * i);
        CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
        tip[i] = tip_of(&shot, rest);
    }
    sn_free(rest);
    sn_shot_free(&shot);
    sn_scene_free(&scene);
    return observe(tip, h);
}

/* The integrator's own damping is told by a swing without any other. */
static void expect_ratio(const char *what, const swing *damped, const swing *free_swing,
                         double expected)
{
    double ratio = log(free_swing->left / damped->left) / (2 * SN_PI);
    sn_info("damping %s: %.4g of the swing left after a period, %.4g without; ratio %.4g, "
            "theory %.4g",
            what, damped->left, free_swing->left, ratio, expected);
    CHECK(fabs(ratio / expected - 1) < 0.02, "%s: ratio %g, theory %g", what, ratio, expected);
}

static void parts_die_by_their_share(int thick, double beta, const swing *none)
{
    char part[256];
    snprintf(part, sizeof part,
             "regions: [{region: {plane: {point: [%.17g, 0, 0], normal: [1, 0, 0]}},\n"
             "    damping: %.17g}]",
             (PART - 0.5) * LENGTH, beta);
    swing root = swing_of(thick, part);
    double share = energy_up_to(PART) / energy_up_to(1);
    expect_ratio("at the root", &root, none, share * beta * none->frequency / 2);
}

static void all_dies(int thick, double beta, const swing *none)
{
    char whole[64];
    snprintf(whole, sizeof whole, "damping: %.17g", beta);
    swing all = swing_of(thick, whole);
    double ratio = beta * none->frequency / 2;
    expect_ratio("everywhere", &all, none, ratio / sqrt(1 - ratio * ratio));
}

static void run(int argc, char **argv)
{
    (void)argv;
    bool few = argc > 1;
    for (int thick = 1; thick <= (few ? 1 : 2); thick++) {
        double beta = 2 * RATIO / frequency_in_theory(thick);
        swing none = swing_of(thick, "damping: 0");
        if (thick == 2)
            parts_die_by_their_share(thick, beta, &none);
        all_dies(thick, beta, &none);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
