/* Damping and turning: a free body that spins, one turn a second for four turns, keeps with damping
 * what it keeps without, by either integrator and at any step. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/array.h"
#include "base/pi.h"

#include <math.h>

static const test_material FLESH = {.young = 2e5, .poisson = 0.4, .density = 1000};
static const double NO_GRAVITY[3], CELL = 0.15, DAMPING = 0.01, SECONDS = 4.2;
static const int BRICK[3] = {4, 3, 2};

typedef struct {
    double spin;    /* angular momentum, of that at the start */
    double kinetic; /* energy, likewise */
    double most;    /* angular momentum across the axis */
} kept;

/* About the centre, which stays where it is. */
static void angular_momentum(const test_elastic *e, const double *x, const double *v, double l[3])
{
    double *moment = sn_field_new_f64(e->tree);
    for (sn_local n = 0; n < e->tree->n_nodes; n++)
        for (int d = 0; d < 3; d++) {
            int a = (d + 1) % 3, b = (d + 2) % 3;
            double from_a = x[3 * n + a] - 0.5 * BRICK[a] * CELL;
            double from_b = x[3 * n + b] - 0.5 * BRICK[b] * CELL;
            moment[3 * n + d] = from_a * v[3 * n + b] - from_b * v[3 * n + a];
        }
    for (int d = 0; d < 3; d++)
        l[d] = test_mass_sum(e, moment, d);
    sn_free(moment);
}

static void spin_body(const test_elastic *e, double *v)
{
    for (sn_local n = 0; n < e->tree->n_nodes; n++) {
        v[3 * n] = -2 * SN_PI * (e->rest[3 * n + 1] - 0.5 * BRICK[1] * CELL);
        v[3 * n + 1] = 2 * SN_PI * (e->rest[3 * n] - 0.5 * BRICK[0] * CELL);
    }
}

static kept turn(sn_integrator integrator, double fps, double damping, double seconds)
{
    static test_elastic e;
    test_elastic_create(&e, test_box_of_cells(BRICK, CELL), CELL, CELL, FLESH, NULL);
    double *of_each = SN_NEW(double, e.tree->n_elements), first[3], last[3];
    for (sn_local i = 0; i < e.tree->n_elements; i++)
        of_each[i] = damping;
    sn_solver_settings settings = test_tight_settings(SN_MODE_DYNAMIC, integrator);
    settings.newton.tolerance = 1e-6;
    settings.linear.tolerance = 1e-3;
    test_steps s;
    test_steps_create(&s, &e.solver, &settings, damping > 0, of_each, NO_GRAVITY, e.rest);
    spin_body(&e, s.state.v);
    const double *mass = e.solver.finest.mass;
    double kinetic = sn_state_kinetic_energy(&s.state, e.tree, mass);
    angular_momentum(&e, s.state.x, s.state.v, first);
    for (int step = 1; step <= (int)(seconds * fps + 0.5); step++) {
        sn_step_result r = sn_stepper_advance(&s.stepper, step / fps);
        CHECK(r.end == SN_STEP_CONVERGED, "end %d, residual %g", (int)r.end, r.residual);
    }
    angular_momentum(&e, s.state.x, s.state.v, last);
    kept left = {.spin = last[2] / first[2],
                 .kinetic = sn_state_kinetic_energy(&s.state, e.tree, mass) / kinetic,
                 .most = fmax(fabs(last[0]), fabs(last[1])) / first[2]};
    test_steps_free(&s);
    sn_free(of_each);
    test_elastic_free(&e);
    return left;
}

static void damping_keeps_the_spin(const char *name, sn_integrator integrator, double fps,
                                   double seconds)
{
    kept free = turn(integrator, fps, 0, seconds), damped = turn(integrator, fps, DAMPING, seconds);
    sn_info("%s, %g steps a second, after %g s: %.4f of the spin left, %.4f with damping; energy "
            "%.4f and %.4f",
            name, fps, seconds, free.spin, damped.spin, free.kinetic, damped.kinetic);
    CHECK(fabs(damped.spin - free.spin) < 5e-3, "%g left, without damping %g", damped.spin,
          free.spin);
    CHECK(fabs(damped.kinetic - free.kinetic) < 1e-2, "%g left, without damping %g", damped.kinetic,
          free.kinetic);
    CHECK(damped.most < 1e-4, "%g across the axis", damped.most);
}

static void run(int argc, char **argv)
{
    (void)argv;
    bool few = argc > 1;
    damping_keeps_the_spin("BDF2", SN_INTEGRATOR_BDF2, 24, few ? 0.5 : SECONDS);
    damping_keeps_the_spin("backward Euler", SN_INTEGRATOR_BACKWARD_EULER, 24, few ? 0.5 : SECONDS);
    if (!few)
        damping_keeps_the_spin("BDF2", SN_INTEGRATOR_BDF2, 96, 0.5);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
