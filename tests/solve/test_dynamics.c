/* Motion in time: what the integrators keep exactly (the fall's recurrence, momentum, and no torque
 * from within), and what they keep nearly (spin). */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

static const test_material FLESH = {.young = 2e5, .poisson = 0.4, .density = 1000};
static const double NO_GRAVITY[3];
static const int BRICK[3] = {12, 10, 8};
static const double CELL = 0.05;

static const sn_integrator INTEGRATOR[2] = {SN_INTEGRATOR_BACKWARD_EULER, SN_INTEGRATOR_BDF2};
static const char *const NAME[2] = {"backward Euler", "BDF2"};

static void create_steps_to(test_steps *s, test_elastic *e, int which, const double gravity[3],
                            double newton_tolerance, double linear_tolerance)
{
    sn_solver_settings settings = test_tight_settings(SN_MODE_DYNAMIC, INTEGRATOR[which]);
    settings.newton.tolerance = newton_tolerance;
    settings.linear.tolerance = linear_tolerance;
    test_steps_create(s, &e->solver, &settings, false, NULL, gravity, e->rest);
}

static void create_steps(test_steps *s, test_elastic *e, int which, const double gravity[3])
{
    create_steps_to(s, e, which, gravity, 1e-13, 1e-8);
}

static sn_step_result advance(test_steps *s, double time)
{
    sn_step_result r = sn_stepper_advance(&s->stepper, time);
    CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
    return r;
}

static double *copy_of(const test_elastic *e, const double *field)
{
    double *copy = sn_field_new_f64(e->tree);
    if (e->tree->n_nodes)
        memcpy(copy, field, 3 * (size_t)e->tree->n_nodes * sizeof *copy);
    return copy;
}

/* One coordinate of a point that falls, by the integrator's own formulas. */
typedef struct {
    double x, v, x_before, v_before, last;
} falling;

/* What a new value is compared with, when the step has r times the last one's length. */
static double from_two(double now, double before, double r)
{
    return ((1 + r) * (1 + r) * now - r * r * before) / (1 + 2 * r);
}

static falling fall_on(falling p, double h, double gravity, bool second_order)
{
    double r = second_order && p.last > 0 ? h / p.last : 0, step = h * (1 + r) / (1 + 2 * r);
    falling next = {.x_before = p.x, .v_before = p.v, .last = h};
    next.v = from_two(p.v, p.v_before, r) + step * gravity;
    next.x = from_two(p.x, p.x_before, r) + step * next.v;
    return next;
}

/* A step; BDF2 takes its first one in a quarter, a quarter and a half. */
static falling fall_a_step(falling p, double h, double gravity, bool second_order)
{
    if (!second_order || p.last > 0)
        return fall_on(p, h, gravity, second_order);
    p = fall_on(fall_on(p, h / 4, gravity, true), h / 4, gravity, true);
    return fall_on(p, h / 2, gravity, true);
}

static void free_fall(test_elastic *e, int which)
{
    enum { STEPS = 5 };
    static const double gravity[3] = {1.5, -9.81, 0};
    double h = 0.02, mass = test_total_mass(e), off = 0, energy = 0, kinetic = 0;
    falling centre[3];
    for (int d = 0; d < 3; d++)
        centre[d] = (falling){.x = test_mass_sum(e, e->rest, d) / mass};
    test_steps s;
    create_steps(&s, e, which, gravity);
    for (int step = 1; step <= STEPS; step++) {
        sn_step_result r = advance(&s, step * h);
        for (int d = 0; d < 3; d++) {
            centre[d] = fall_a_step(centre[d], h, gravity[d], which == 1);
            off = fmax(off, fabs(test_mass_sum(e, s.state.x, d) / mass - centre[d].x));
        }
        energy = fmax(energy, r.deformation.energy);
        kinetic = sn_state_kinetic_energy(&s.state, e->tree, e->solver.finest.mass);
    }
    double v2 = centre[0].v * centre[0].v + centre[1].v * centre[1].v;
    sn_info("free fall, %s: %.6g fallen, off by %.2g; elastic energy %.2g of kinetic %.6g",
            NAME[which],
            test_mass_sum(e, s.state.x, 1) / mass - test_mass_sum(e, e->rest, 1) / mass, off,
            energy, kinetic);
    CHECK(off < 1e-12, "off by %g", off);
    CHECK(energy < 1e-18 * kinetic, "elastic energy %g", energy);
    CHECK(fabs(kinetic - 0.5 * mass * v2) < 1e-10 * kinetic, "kinetic energy %g, not %g", kinetic,
          0.5 * mass * v2);
    test_steps_free(&s);
}

/* Sum of x cross m v, about the origin. */
static void angular_momentum(const test_elastic *e, const double *x, const double *v, double out[3])
{
    double *moment = sn_field_new_f64(e->tree);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        for (int d = 0; d < 3; d++) {
            int a = 3 * n + (d + 1) % 3, b = 3 * n + (d + 2) % 3;
            moment[3 * n + d] = x[a] * v[b] - x[b] * v[a];
        }
    for (int d = 0; d < 3; d++)
        out[d] = test_mass_sum(e, moment, d);
    sn_free(moment);
}

/* A body that is thrown, spins and quivers. */
static void throw_body(const test_elastic *e, double *v)
{
    static const double speed[3] = {1, -2, 0.5}, spin[3] = {3, -4, 2};
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        for (int d = 0; d < 3; d++) {
            int a = (d + 1) % 3, b = (d + 2) % 3;
            const double *x = e->rest + 3 * n;
            v[3 * n + d] = speed[d] + spin[a] * x[b] - spin[b] * x[a] + sin(9 * x[b]);
        }
}

/* What the step's accelerations, times h, say the torque from within was; the step had r times the
 * length of the last one, or 0. */
static void no_torque(const test_elastic *e, const sn_state *s, const double *v_before_that,
                      double r, double size)
{
    double *change = sn_field_new_f64(e->tree), torque[3];
    for (sn_local i = 0; i < 3 * e->tree->n_nodes; i++)
        change[i] = s->v[i] - from_two(s->v_before[i], v_before_that[i], r);
    angular_momentum(e, s->x, change, torque);
    for (int d = 0; d < 3; d++)
        CHECK(fabs(torque[d]) < 1e-11 * size, "torque %g of %g", torque[d], size);
    sn_free(change);
}

static void momentum_is_kept(test_elastic *e, int which)
{
    enum { STEPS = 5 };
    test_steps s;
    create_steps(&s, e, which, NO_GRAVITY);
    throw_body(e, s.state.v);
    double first[3], angular[3], worst = 0, energy = 0;
    for (int d = 0; d < 3; d++)
        first[d] = test_mass_sum(e, s.state.v, d);
    double size = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
    angular_momentum(e, s.state.x, s.state.v, angular);
    for (int step = 1; step <= STEPS; step++) {
        double *v_before_that = copy_of(e, s.state.v_before), last = s.state.last_step;
        energy = advance(&s, 0.01 * step).deformation.energy;
        if (which == 0 || step > 1) /* BDF2's first one is several */
            no_torque(e, &s.state, v_before_that, which == 1 ? s.state.last_step / last : 0, size);
        for (int d = 0; d < 3; d++)
            worst = fmax(worst, fabs(test_mass_sum(e, s.state.v, d) - first[d]));
        sn_free(v_before_that);
    }
    sn_info("thrown, %s: momentum %.6g, off by %.2g; elastic energy %.3g", NAME[which], size, worst,
            energy);
    CHECK(worst < 1e-11 * size, "momentum %g, off by %g", size, worst);
    CHECK(energy > 0.01, "nothing quivers: elastic energy %g", energy);
    test_steps_free(&s);
}

/* The body that spins is nearly rigid: flesh that is not stretched yet quivers, and no step that is
 * longer than that keeps it. */
static const test_material HARD = {.young = 2e8, .poisson = 0.4, .density = 1000};
static const int SPINNING[3] = {6, 5, 4};
static const double SPIN = 5, SPIN_TIME = 0.4, SPIN_CELL = 0.1;

/* The part of the spin about the centre that is lost. */
static double spin_lost(test_elastic *e, int which, int steps)
{
    test_steps s;
    create_steps_to(&s, e, which, NO_GRAVITY, 1e-6, 1e-3);
    double centre[2], first[3], last[3];
    for (int d = 0; d < 2; d++)
        centre[d] = 0.5 * SPINNING[d] * SPIN_CELL;
    for (sn_local n = 0; n < e->tree->n_nodes; n++) {
        s.state.v[3 * n] = -SPIN * (e->rest[3 * n + 1] - centre[1]);
        s.state.v[3 * n + 1] = SPIN * (e->rest[3 * n] - centre[0]);
    }
    angular_momentum(e, s.state.x, s.state.v, first);
    for (int step = 1; step <= steps; step++)
        advance(&s, SPIN_TIME * step / steps);
    angular_momentum(e, s.state.x, s.state.v, last);
    test_steps_free(&s);
    sn_info("spin, %s, %d steps: %.4g%% lost", NAME[which], steps, 100 * (1 - last[2] / first[2]));
    return 1 - last[2] / first[2];
}

/* Backward Euler slows a rigid spin by w^2 h^2 a step, so w = w0 / sqrt(1 + 2 w0^2 h t). */
static void spin_is_nearly_kept(void)
{
    static test_elastic e;
    test_elastic_create(&e, test_box_of_cells(SPINNING, SPIN_CELL), SPIN_CELL, 0, HARD, NULL);
    int steps = 20;
    double euler = spin_lost(&e, 0, steps), bdf2 = spin_lost(&e, 1, steps);
    double theory = 1 - 1 / sqrt(1 + 2 * SPIN * SPIN * SPIN_TIME * SPIN_TIME / steps);
    sn_info("spin, backward Euler, theory of a rigid body: %.4g%% lost", 100 * theory);
    CHECK(fabs(euler - theory) < 0.1 * theory, "lost %g, theory %g", euler, theory);
    CHECK(fabs(bdf2) < 0.01 * euler, "BDF2 lost %g, Euler %g", bdf2, euler);
    double euler_half = spin_lost(&e, 0, 2 * steps), bdf2_half = spin_lost(&e, 1, 2 * steps);
    test_elastic_free(&e);
    CHECK(fabs(euler / euler_half - 2) < 0.4, "%g, then %g", euler, euler_half);
    CHECK(fabs(bdf2) > 3 * fabs(bdf2_half), "%g, then %g", bdf2, bdf2_half);
}

static void run(int argc, char **argv)
{
    (void)argv;
    static test_elastic e;
    test_elastic_create(&e, test_box_of_cells(BRICK, CELL), CELL, 0, FLESH, NULL);
    double mass = FLESH.density * BRICK[0] * BRICK[1] * BRICK[2] * CELL * CELL * CELL;
    CHECK(fabs(test_total_mass(&e) - mass) < 1e-12 * mass, "%g, not %g", test_total_mass(&e), mass);
    CHECK(test_count_hanging(&e) > 0, "nothing hangs");
    for (int which = 0; which < 2; which++) {
        free_fall(&e, which);
        momentum_is_kept(&e, which);
    }
    if (argc == 1) /* not few */
        spin_is_nearly_kept();
    test_elastic_free(&e);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
