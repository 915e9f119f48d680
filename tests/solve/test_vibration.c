/* A beam that is struck in its first mode: its frequency against beam theory, and what each
 * integrator leaves of the swing. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/pi.h"

#include <math.h>

static const double LENGTH = 1;
static const double SLENDER = 8; /* length over thickness */
static const double THICKNESS = 0.125;
static const test_material RUBBER = {.young = 1e6, .poisson = 0, .density = 1000};
static const double NO_GRAVITY[3];
static const double SWING = 1e-3; /* of the tip */

/* Until the tip has come down through zero twice. */
enum { STEPS_PER_PERIOD = 40, STEPS = 3 * STEPS_PER_PERIOD / 2 + 2 };

/* The first root of cos b cosh b = -1, and the shape that belongs to it. */
static const double FIRST_ROOT = 1.875104068711961;
static const double SHAPE_RATIO = 0.7340955137589128;

static bool at_the_root(const double x[3])
{
    return x[0] < 1e-6;
}

/* Euler-Bernoulli's first frequency, in radians a second. */
static double slender_frequency(void)
{
    double gyration = THICKNESS / sqrt(12);
    return FIRST_ROOT * FIRST_ROOT * gyration * sqrt(RUBBER.young / RUBBER.density) /
           (LENGTH * LENGTH);
}

/* With shear, by Dunkerley: the squares of the periods of bending and of shear alone add up. Cells
 * in bending are too stiff by `stiffened`. */
static double frequency_in_theory(double stiffened)
{
    double shear_factor = 10.0 / 12, shear_modulus = RUBBER.young / 2;
    double bending = slender_frequency() * sqrt(1 + stiffened);
    double shear = SN_PI / 2 * sqrt(shear_factor * shear_modulus / RUBBER.density) / LENGTH;
    return 1 / sqrt(1 / (bending * bending) + 1 / (shear * shear));
}

/* The shape, 1 at the tip, and its slope. */
static double shape(double x, double *slope)
{
    double b = FIRST_ROOT * x / LENGTH;
    *slope = 0.5 * FIRST_ROOT / LENGTH * (sinh(b) + sin(b) - SHAPE_RATIO * (cosh(b) - cos(b)));
    return 0.5 * (cosh(b) - cos(b) - SHAPE_RATIO * (sinh(b) - sin(b)));
}

/* Velocities of the first mode; cross sections stay plane. */
static void strike(const test_elastic *e, double speed, double *v)
{
    for (sn_local n = 0; n < e->tree->n_nodes; n++) {
        double slope, up = shape(e->rest[3 * n], &slope);
        if (e->solver.finest.pinned[n])
            continue;
        v[3 * n] = -speed * slope * (e->rest[3 * n + 1] - THICKNESS / 2);
        v[3 * n + 1] = speed * up;
    }
}

typedef struct {
    double frequency;        /* radians a second, from two crossings of zero in one direction */
    double amplitude_before; /* the largest swing in the first half of a period */
    double amplitude_after;  /* and a period later */
} swing;

static swing observe(const double *tip, double h)
{
    swing s = {0};
    double crossing[2] = {0};
    int found = 0, half = STEPS_PER_PERIOD / 2;
    for (int i = 1; i <= STEPS; i++) {
        if (tip[i - 1] > 0 && tip[i] <= 0 && found < 2)
            crossing[found++] = h * (i - 1 + tip[i - 1] / (tip[i - 1] - tip[i]));
        if (i <= half)
            s.amplitude_before = fmax(s.amplitude_before, fabs(tip[i]));
        if (i >= STEPS_PER_PERIOD)
            s.amplitude_after = fmax(s.amplitude_after, fabs(tip[i]));
    }
    CHECK(found == 2, "%d crossings", found);
    s.frequency = 2 * SN_PI / (crossing[1] - crossing[0]);
    return s;
}

/* One and a half periods of a beam with so many cells through its thickness. */
static swing swing_of(double rule, int thick, sn_integrator integrator, double h)
{
    static test_elastic e;
    test_material material = RUBBER;
    material.hourglass = rule;
    int cells[3] = {(int)SLENDER * thick, thick, thick};
    double cell = LENGTH / cells[0], tip[STEPS + 1] = {0};
    test_elastic_create(&e, test_box_of_cells(cells, cell), cell, cell, material, at_the_root);
    sn_solver_settings settings = test_tight_settings(SN_MODE_DYNAMIC, integrator);
    settings.newton.tolerance = 1e-4;
    settings.linear.tolerance = 1e-5;
    test_steps s;
    test_steps_create(&s, &e.solver, &settings, false, NULL, NO_GRAVITY, e.rest);
    strike(&e, SWING * slender_frequency(), s.state.v);
    for (int i = 1; i <= STEPS; i++) {
        sn_step_result r = sn_stepper_advance(&s.stepper, h * i);
        CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
        tip[i] = test_mean_shift(&e, s.state.x, LENGTH, 1);
    }
    test_steps_free(&s);
    test_elastic_free(&e);
    return observe(tip, h);
}

/* The paper's rule stiffens cells in bending by 5 / n^2 (test_statics.c). */
static double stiffening(double rule, int thick)
{
    return rule == SN_HOURGLASS_PAPER ? 5.0 / (thick * thick) : 0;
}

/* Relative to theory, less 1. BDF2 itself is slow by (w h)^2 / 3. */
static double frequency_error(double rule, int thick, double *swing_left)
{
    double expected = frequency_in_theory(stiffening(rule, thick)), h = 2 * SN_PI / expected;
    h /= STEPS_PER_PERIOD;
    swing s = swing_of(rule, thick, SN_INTEGRATOR_BDF2, h);
    double slow = 1 - expected * h * expected * h / 3, limit = frequency_in_theory(0);
    *swing_left = s.amplitude_after / s.amplitude_before;
    sn_info(
        "beam, %d cells thick: %.5g Hz; theory %.5g (slender %.5g), error %.3g; with the cells' "
        "stiffness and the step's length %.5g; %.4g of the swing left",
        thick, s.frequency / (2 * SN_PI), limit / (2 * SN_PI), slender_frequency() / (2 * SN_PI),
        s.frequency / limit - 1, slow * expected / (2 * SN_PI), *swing_left);
    CHECK(fabs(s.frequency / (slow * expected) - 1) < 0.01, "%g, not %g", s.frequency,
          slow * expected);
    return s.frequency / limit - 1;
}

static void euler_damps(int thick)
{
    double expected = frequency_in_theory(0);
    double h = 2 * SN_PI / expected / STEPS_PER_PERIOD;
    swing s = swing_of(SN_HOURGLASS_ASSUMED, thick, SN_INTEGRATOR_BACKWARD_EULER, h);
    double left = s.amplitude_after / s.amplitude_before;
    double theory = pow(1 + expected * h * expected * h, -STEPS_PER_PERIOD / 2.0);
    sn_info("backward Euler leaves %.4g of the swing, theory %.4g", left, theory);
    CHECK(fabs(left - theory) < 0.05 * theory, "%g left, theory %g", left, theory);
}

static void run(int argc, char **argv)
{
    (void)argv;
    double left, coarse = frequency_error(SN_HOURGLASS_ASSUMED, 3, &left);
    CHECK(fabs(coarse) < 0.02, "error %g", coarse);
    CHECK(left > 0.97 && left < 1.01, "%g of the swing left by BDF2", left);
    if (argc > 1) /* few */
        return;
    coarse = frequency_error(SN_HOURGLASS_PAPER, 3, &left);
    double fine = frequency_error(SN_HOURGLASS_PAPER, 6, &left);
    CHECK(fabs(fine) < 0.08 && fabs(fine) < 0.35 * fabs(coarse), "errors %g and %g", coarse, fine);
    euler_damps(3);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
