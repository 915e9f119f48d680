/* Bodies in balance against what the theory of elasticity says: a hanging bar, a cantilever, and a
 * smooth manufactured solution. Cells get smaller, and the error must fall. */
#include "helpers/check.h"
#include "helpers/elastic_body.h"

#include "base/array.h"
#include "octree/positions.h"

#include <math.h>

static const double LENGTH = 1;
static const double SLENDER = 8; /* length over thickness */

static bool at_the_root(const double x[3])
{
    return x[0] < 1e-6;
}

/* A square bar along x with so many cells through its thickness. */
static void make_bar(test_elastic *e, int thick, double coarsest, test_material material)
{
    int cells[3] = {(int)SLENDER * thick, thick, thick};
    double cell = LENGTH / cells[0];
    test_elastic_create(e, test_box_of_cells(cells, cell), cell, coarsest, material, at_the_root);
}

/* How far the tip of a bar sinks, relative to rho g L^2 / (2 E), less 1. */
static double bar_error(int thick, double coarsest, double poisson, double strain)
{
    static test_elastic e;
    test_material material = {.young = 2e4, .poisson = poisson, .density = 1000};
    make_bar(&e, thick, coarsest, material);
    double gravity[3] = {strain * material.young / (material.density * LENGTH), 0, 0};
    double *x = test_elastic_balance(&e, gravity);
    double shift = test_mean_shift(&e, x, LENGTH, 0);
    double theory = material.density * gravity[0] * LENGTH * LENGTH / (2 * material.young);
    sn_info("bar, %2d cells thick, %ld points hang, Poisson %g: tip sinks %.9g, theory %.9g, "
            "error %.3g",
            thick, (long)test_count_hanging(&e), poisson, shift, theory, shift / theory - 1);
    sn_free(x);
    test_elastic_free(&e);
    return shift / theory - 1;
}

/* Without contraction the corotational law is linear in the stretch: so is the answer, and equal
 * cells have it exactly at their nodes, however large the load. */
static void hanging_bar(bool few)
{
    double exact = bar_error(3, LENGTH / 24, 0, 0.5);
    CHECK(fabs(exact) < 1e-9, "error %g", exact);
    double coarse = bar_error(8, 0, 0, 0.5);
    CHECK(fabs(coarse) < 0.01, "error %g", coarse);
    if (few)
        return;
    double fine = bar_error(16, 2 * LENGTH / (16 * SLENDER), 0, 0.5);
    CHECK(fabs(fine) < 0.3 * fabs(coarse), "error %g, then %g", coarse, fine);
    double contracting = bar_error(8, 0, 0.3, 1e-4); /* not where it is held */
    CHECK(fabs(contracting) < 0.03, "error %g", contracting);
}

/* Timoshenko's beam under its own weight, with Cowper's shear factor for a square. */
static double tip_in_theory(test_material m, double gravity)
{
    double thick = LENGTH / SLENDER, area = thick * thick, inertia = area * area / 12;
    double load = m.density * gravity * area, shear = m.young / (2 * (1 + m.poisson));
    double factor = 10 * (1 + m.poisson) / (12 + 11 * m.poisson);
    return load * pow(LENGTH, 4) / (8 * m.young * inertia) +
           load * LENGTH * LENGTH / (2 * factor * shear * area);
}

/* The largest cells are `largest` times the smallest. */
static double cantilever_error(double rule, int thick, int largest, double poisson)
{
    static test_elastic e;
    test_material material = {.young = 2e4, .poisson = poisson, .density = 1000, .hourglass = rule};
    make_bar(&e, thick, largest * LENGTH / (SLENDER * thick), material);
    double gravity[3] = {0, -1, 0};
    gravity[1] = -1e-3 * LENGTH / tip_in_theory(material, 1);
    double *x = test_elastic_balance(&e, gravity);
    double shift = test_mean_shift(&e, x, LENGTH, 1), theory = -1e-3 * LENGTH;
    sn_info(
        "cantilever, %2d cells thick, %ld points hang, Poisson %g: tip sinks %.6g, theory %.6g, "
        "error %.3g",
        thick, (long)test_count_hanging(&e), poisson, shift, theory, shift / theory - 1);
    sn_free(x);
    test_elastic_free(&e);
    return shift / theory - 1;
}

/* The paper's rule stiffens cells in bending by 5 / n^2, with n of them through the thickness, so
 * two sizes tell what is left in the limit: nothing. */
static double limit_error(double coarse, double fine)
{
    return (4 / (1 + fine) - 1 / (1 + coarse)) / 3 - 1;
}

static void cantilever_by_the_paper(bool few)
{
    double errors[3];
    for (int i = 0; i < (few ? 2 : 3); i++) {
        errors[i] = cantilever_error(SN_HOURGLASS_PAPER, 2 << i, 1, 0);
        CHECK(i == 0 || fabs(errors[i]) < 0.45 * fabs(errors[i - 1]), "errors %g, then %g",
              errors[i - 1], errors[i]);
    }
    double early = limit_error(errors[0], errors[1]);
    CHECK(fabs(early) < 0.01, "in the limit %g", early);
    if (few)
        return;
    double late = limit_error(errors[1], errors[2]);
    CHECK(fabs(late) < 1e-3, "in the limit %g", late);
    sn_info("cantilever, in the limit: error %.2g from 2 and 4 cells, %.2g from 4 and 8", early,
            late);
}

/* By assumed strain all sizes bend as they should; larger cells inside, and hanging nodes between,
 * change little. With contraction the root, where it is forbidden, is stiffer than the theory has
 * it. */
static void cantilever(bool few)
{
    const double rule = SN_HOURGLASS_ASSUMED;
    double coarse = cantilever_error(rule, 2, 1, 0), fine = cantilever_error(rule, 4, 1, 0);
    CHECK(fabs(coarse) < 0.003 && fabs(fine) < 0.4 * fabs(coarse), "errors %g, %g", coarse, fine);
    if (few)
        return;
    double mixed = cantilever_error(rule, 8, 2, 0);
    CHECK(fabs(mixed) < 0.003, "error %g", mixed);
    double contracting = cantilever_error(rule, 4, 1, 0.3);
    CHECK(fabs(contracting) < 0.02, "error %g", contracting);
}

/* Manufactured: each component of u is one plane wave. */
static const double AMPLITUDE[3] = {0.7, -0.4, 0.5}, PHASE[3] = {0.3, 1.1, -0.6};
static const double WAVE[3][3] = {{2.1, 3.3, -1.2}, {-2.6, 1.4, 2.9}, {1.7, -2.2, 3.1}};

static double wave(int j, const double x[3])
{
    return AMPLITUDE[j] * sin(WAVE[j][0] * x[0] + WAVE[j][1] * x[1] + WAVE[j][2] * x[2] + PHASE[j]);
}

/* Minus the divergence of the stress: -mu laplace(u) - (lambda + mu) grad div u. */
static double body_force(const test_elastic *e, int i, const double x[3])
{
    const double *k = WAVE[i];
    double force = e->mu * (k[0] * k[0] + k[1] * k[1] + k[2] * k[2]) * wave(i, x);
    for (int j = 0; j < 3; j++)
        force += (e->lambda + e->mu) * WAVE[j][i] * WAVE[j][j] * wave(j, x);
    return force;
}

static bool on_the_unit_cube(const double x[3])
{
    bool on = false;
    for (int d = 0; d < 3; d++)
        on |= x[d] < 1e-6 || x[d] > 1 - 1e-6;
    return on;
}

/* The discrete solution less the true one, which is also the value on the boundary. */
static double *solve_manufactured(test_elastic *e)
{
    sn_deformation_summary summary;
    CHECK(test_solver_update(&e->solver, e->rest, 0, &summary) == SN_OK, "%s",
          sn_failure_message());
    const sn_system *system = &e->solver.finest;
    double *u = sn_field_new_f64(e->tree), *b = sn_field_new_f64(e->tree);
    double *error = sn_field_new_f64(e->tree);
    for (sn_local i = 0; i < 3 * e->tree->n_nodes; i++)
        u[i] = wave(i % 3, e->rest + 3 * (i / 3));
    sn_operator_apply_f64(&e->solver.finest.op, u, b); /* K (u + error) = f where nodes are free */
    for (sn_local i = 0; i < 3 * e->tree->n_nodes; i++)
        b[i] = system->pinned[i / 3]
                   ? 0
                   : system->mass[i / 3] * body_force(e, i % 3, e->rest + 3 * (i / 3)) - b[i];
    sn_linear_settings settings = {SN_LINEAR_MGPCG, .max = 200, .tolerance = 1e-9};
    sn_linear_result r = test_solver_solve(&e->solver, settings, b, error, NULL, NULL);
    CHECK(r.residual <= settings.tolerance, "residual %g", r.residual);
    sn_free(u), sn_free(b);
    return error;
}

/* The error's norm in L2, on a cube whose largest cells are four times the smallest. */
static double manufactured_error(int cells_a_side)
{
    static test_elastic e;
    int cells[3] = {cells_a_side, cells_a_side, cells_a_side};
    double cell = 1.0 / cells_a_side, sum = 0;
    test_material material = {.young = 1, .poisson = 0.3, .density = 1};
    test_elastic_create(&e, test_box_of_cells(cells, cell), cell, 4 * cell, material,
                        on_the_unit_cube);
    double *error = solve_manufactured(&e), *square = sn_field_new_f64(e.tree);
    for (sn_local i = 0; i < 3 * e.tree->n_nodes; i++)
        square[i] = error[i] * error[i];
    for (int d = 0; d < 3; d++)
        sum += test_mass_sum(&e, square, d);
    sn_info("manufactured, %2d cells, %ld elements, %ld points hang: error %.4g", cells_a_side,
            (long)sn_octree_count(e.tree).elements, (long)test_count_hanging(&e), sqrt(sum));
    CHECK(test_count_hanging(&e) > 0, "nothing hangs");
    sn_free(error), sn_free(square);
    test_elastic_free(&e);
    return sqrt(sum);
}

static void second_order(bool few)
{
    double coarse = manufactured_error(16);
    CHECK(coarse < 0.035, "error %g", coarse);
    if (few)
        return;
    double fine = manufactured_error(32), finest = manufactured_error(64);
    CHECK(coarse > 3 * fine, "errors %g and %g", coarse, fine);
    CHECK(fine > 3.3 * finest, "errors %g and %g", fine, finest);
}

static void run(int argc, char **argv)
{
    (void)argv;
    bool few = argc > 1;
    hanging_bar(few);
    cantilever_by_the_paper(few);
    cantilever(few);
    second_order(few);
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
