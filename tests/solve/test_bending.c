/* How thick a limb must be, in cells: the sag of a cantilever under its own weight over
 * Timoshenko's, and the torsional stiffness of a square bar over Saint-Venant's, by each rule for
 * hourglass modes. The figures are those of a direct solution of the same cells by another program,
 * in src/ACCURACY.md. And hourglass modes stay a small part where flesh is crushed. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/exact_sum.h"
#include "solve/linear.h"

#include <math.h>

static const double POISSON = 0.3, SOFT = 0.45, LENGTH = 10, BAR = 8, ANGLE = 1e-3;

static bool at_the_wall(const double rest[3])
{
    return rest[0] < 1e-6;
}

/* Of unit thickness and modulus. */
static void make_bar(test_elastic *e, double length, int cells, double rule, test_held *held)
{
    int count[3] = {(int)length * cells, cells, cells};
    test_material flesh = {.young = 1, .poisson = POISSON, .density = 1, .hourglass = rule};
    test_elastic_create(e, test_box_of_cells(count, 1.0 / cells), 1.0 / cells, 1.0 / cells, flesh,
                        held);
}

/* ---- Bending. ---- */

/* Bending and shear, for a unit of weight per length. */
static double timoshenko(double length)
{
    double mu = 1 / (2 * (1 + POISSON)), kappa = 10 * (1 + POISSON) / (12 + 11 * POISSON);
    return 12 * pow(length, 4) / 8 + length * length / (2 * kappa * mu);
}

static void check_sag(const char *name, double rule, int cells, double expected)
{
    test_elastic e;
    make_bar(&e, LENGTH, cells, rule, at_the_wall);
    const double weight = 1e-9, gravity[3] = {0, 0, -weight};
    double *x = test_elastic_balance(&e, gravity);
    double sag = -test_mean_shift(&e, x, LENGTH, 2) / (weight * timoshenko(LENGTH));
    sn_info("%s, %d cells: sag over Timoshenko's %.4f", name, cells, sag);
    CHECK(fabs(sag - expected) < 1e-4, "%s, %d cells: sag %.4f, not %.4f", name, cells, sag,
          expected);
    sn_free(x);
    test_elastic_free(&e);
}

/* ---- Torsion. ---- */

/* The end turns in its plane and may warp: which of its values are given is more than pins can
 * say, so K u = 0 is solved here, for the others. */
typedef struct {
    test_elastic body;
    uint8_t *given; /* of each number of a field */
    double *u;
} twisted_bar;

static void twist_end(twisted_bar *b)
{
    const test_elastic *e = &b->body;
    b->given = SN_NEW_ZERO(uint8_t, 3 * e->tree->n_nodes);
    b->u = sn_field_new_f64(e->tree);
    for (sn_local n = 0; n < e->tree->n_nodes; n++) {
        const double *rest = e->rest + 3 * n;
        bool wall = at_the_wall(rest), end = rest[0] > BAR - 1e-6;
        for (int d = 0; d < 3; d++)
            b->given[3 * n + d] = wall || (end && d > 0);
        if (end) {
            b->u[3 * n + 1] = -ANGLE * (rest[2] - 0.5);
            b->u[3 * n + 2] = ANGLE * (rest[1] - 0.5);
        }
    }
}

static double dot(const twisted_bar *b, const double *x, const double *y)
{
    return sn_global_dot(b->body.tree->comm, x, y, 3 * (size_t)b->body.tree->n_nodes);
}

/* Where values are not given. */
static void product(twisted_bar *b, double *u, double *out)
{
    sn_operator_apply_f64(&b->body.solver.finest.op, u, out);
    for (sn_local i = 0; i < 3 * b->body.tree->n_nodes; i++)
        if (b->given[i])
            out[i] = 0;
}

/* Conjugate gradients, without any preconditioner. */
static void solve_warping(twisted_bar *b)
{
    sn_local n = 3 * b->body.tree->n_nodes;
    double *r = sn_field_new_f64(b->body.tree), *p = sn_field_new_f64(b->body.tree);
    double *kp = sn_field_new_f64(b->body.tree);
    product(b, b->u, r);
    for (sn_local i = 0; i < n; i++)
        p[i] = r[i] = -r[i];
    double rr = dot(b, r, r), enough = 1e-16 * rr;
    for (int step = 0; step < 2000 && rr > enough; step++) {
        product(b, p, kp);
        double length = rr / dot(b, p, kp), before = rr;
        for (sn_local i = 0; i < n; i++) {
            b->u[i] += length * p[i];
            r[i] -= length * kp[i];
        }
        rr = dot(b, r, r);
        for (sn_local i = 0; i < n; i++)
            p[i] = r[i] + rr / before * p[i];
    }
    CHECK(rr <= enough, "residual %g", sqrt(rr));
    sn_free(r), sn_free(p), sn_free(kp);
}

/* Twice the energy is the torque times the angle. */
static double torque_of(twisted_bar *b)
{
    double *force = sn_field_new_f64(b->body.tree);
    sn_operator_apply_f64(&b->body.solver.finest.op, b->u, force);
    double torque = dot(b, b->u, force) / ANGLE;
    sn_free(force);
    return torque;
}

static void check_torsion(const char *name, double rule, int cells, double expected)
{
    twisted_bar b;
    make_bar(&b.body, BAR, cells, rule, NULL);
    twist_end(&b);
    sn_operator_update(&b.body.solver.finest.op, b.body.rest, NULL);
    solve_warping(&b);
    const double square = 0.1406; /* Saint-Venant's constant */
    double stiffness = torque_of(&b) * BAR / (ANGLE * b.body.mu * square);
    sn_info("%s, %d cells: torsional stiffness over the exact one %.3f", name, cells, stiffness);
    CHECK(fabs(stiffness - expected) < 0.006 * expected, "%s, %d cells: stiffness %.3f, not %.3g",
          name, cells, stiffness, expected);
    sn_free(b.given), sn_free(b.u);
    test_elastic_free(&b.body);
}

/* ---- Crushed flesh. ---- */

enum { CUBE = 6 };

static bool at_bottom_or_top(const double rest[3])
{
    return rest[2] < 1e-6 || rest[2] > 1 - 1e-6;
}

/* Energy with another hourglass stiffness, in the same positions. */
static double energy_with(test_elastic *e, double rule, double *x)
{
    sn_operator *op = &e->solver.finest.op;
    sn_law_parameters *p = SN_NEW(sn_law_parameters, e->tree->n_elements);
    for (sn_local i = 0; i < e->tree->n_elements; i++)
        p[i] = sn_law_parameters_of(SN_LAW_COROTATED, 1, SOFT, rule);
    sn_operator_set_parameters(op, p);
    sn_free(p);
    return sn_operator_inspect(op, x).energy;
}

/* A cube between plates that come as near as 0.4 and turn by a quarter of a circle. Only where
 * cells fold in a pattern of their own would hourglass modes hold much of the energy. */
static void crushed_cubes_do_not_hourglass(const char *name, double rule)
{
    test_elastic e;
    int count[3] = {CUBE, CUBE, CUBE};
    test_material flesh = {.young = 1, .poisson = SOFT, .density = 1, .hourglass = rule};
    test_elastic_create(&e, test_box_of_cells(count, 1.0 / CUBE), 1.0 / CUBE, 1.0 / CUBE, flesh,
                        at_bottom_or_top);
    double *x = sn_field_new_f64(e.tree);
    for (sn_local n = 0; n < e.tree->n_nodes; n++) {
        const double *rest = e.rest + 3 * n;
        bool top = rest[2] > 1 - 1e-6;
        x[3 * n] = top ? 0.5 - (rest[1] - 0.5) : rest[0];
        x[3 * n + 1] = top ? 0.5 + (rest[0] - 0.5) : rest[1];
        x[3 * n + 2] = 0.4 * rest[2];
    }
    sn_solver_settings settings =
        test_tight_settings(SN_MODE_QUASISTATIC, SN_INTEGRATOR_BACKWARD_EULER);
    settings.newton.tolerance = 1e-6;
    settings.newton.max = 300;
    test_steps s;
    test_steps_create(&s, &e.solver, &settings, false, NULL, (double[3]){0}, x);
    sn_step_result r = sn_stepper_advance(&s.stepper, 0);
    CHECK(r.end == SN_STEP_CONVERGED, "%s: residual %g", name, r.residual);
    double whole = sn_operator_inspect(&e.solver.finest.op, s.state.x).energy;
    double without = energy_with(&e, 1e-9, s.state.x), part = 1 - without / whole;
    sn_info("%s, crushed: %d Newton steps, hourglass modes hold %.3f of the energy", name,
            r.iterations, part);
    CHECK(part < 0.2, "%s: hourglass modes hold %g of the energy", name, part);
    test_steps_free(&s);
    sn_free(x);
    test_elastic_free(&e);
}

static void run(int argc, char **argv)
{
    (void)argv;
    static const struct {
        const char *name;
        double rule, sag[3], torsion[3];
    } rules[] = {
        {"paper", SN_HOURGLASS_PAPER, {0.2231, 0.5117, 0.7940}, {14.2, 4.45, 1.91}},
        {"scaled", SN_HOURGLASS_SCALED, {0.9985, 0.9698, 0.9836}, {3.08, 1.66, 1.18}},
        {"assumed", SN_HOURGLASS_ASSUMED, {0.9985, 0.9712, 0.9841}, {1.19, 1.19, 1.05}},
    };
    int finest = argc > 1 ? 1 : 3; /* in slow builds */
    for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
        for (int k = 0; k < finest; k++) {
            check_sag(rules[r].name, rules[r].rule, 1 << k, rules[r].sag[k]);
            check_torsion(rules[r].name, rules[r].rule, 1 << k, rules[r].torsion[k]);
        }
        crushed_cubes_do_not_hourglass(rules[r].name, rules[r].rule);
    }
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
