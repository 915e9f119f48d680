/* The rules for hourglass modes on one cell: its stiffness matrix against a plain assembly of each
 * rule's closed form, and bending and torsion against those of a beam. */
#include "helpers/elastic_cases.h"

#include "elastic/law.h"
#include "elastic/laws/corotated.h"
#include "elastic/laws/corotated_reference.h"

enum { UNKNOWNS = 24 };

typedef double matrix[UNKNOWNS][UNKNOWNS];

static const double YOUNG = 3;

static sn_corotated_cell cell_of(double edge, double poisson, double rule)
{
    sn_law_parameters p = sn_law_parameters_of(SN_LAW_COROTATED, YOUNG, poisson, rule);
    return (sn_corotated_cell){edge,
                               p.of[SN_COROTATED_MU],
                               p.of[SN_COROTATED_LAMBDA],
                               p.of[SN_COROTATED_BENDING],
                               p.of[SN_COROTATED_ASSUMED],
                               {0}};
}

/* A corner's place from the centre, in edges. */
static double place(int a, int axis)
{
    return (a >> axis & 1) - 0.5;
}

/* ---- Plain assembly, of a cell with edge 1. ---- */

static void add_square(matrix m, double factor, const double v[UNKNOWNS])
{
    for (int i = 0; i < UNKNOWNS; i++)
        for (int j = 0; j < UNKNOWNS; j++)
            m[i][j] += factor * v[i] * v[j];
}

/* The entry of grad u at the centre. */
static void gradient_row(int i, int j, double factor, double row[UNKNOWNS])
{
    for (int a = 0; a < 8; a++)
        row[3 * a + i] += factor * place(a, j) / 2;
}

/* Hooke's law at the centre: lambda/2 tr^2 + mu |strain|^2, doubled. */
static void add_one_point(matrix m, double mu, double lambda)
{
    double trace[UNKNOWNS] = {0};
    for (int i = 0; i < 3; i++) {
        double along[UNKNOWNS] = {0}, shear[UNKNOWNS] = {0};
        gradient_row(i, i, 1, trace);
        gradient_row(i, i, 1, along);
        gradient_row(i, (i + 1) % 3, 1, shear);
        gradient_row((i + 1) % 3, i, 1, shear);
        add_square(m, 2 * mu, along);
        add_square(m, mu, shear);
    }
    add_square(m, lambda, trace);
}

/* The edge quadrature of 2 mu |grad u|^2, and less what the centre sees of it. */
static void add_edges(matrix m, double factor, double mu)
{
    for (int i = 0; i < 3; i++)
        for (int axis = 0; axis < 3; axis++) {
            double row[UNKNOWNS] = {0};
            gradient_row(i, axis, 1, row);
            add_square(m, -2 * factor * mu, row);
            for (int a = 0; a < 8; a++) {
                double edge[UNKNOWNS] = {0};
                edge[3 * (a | 1 << axis) + i] = 1;
                edge[3 * (a & ~(1 << axis)) + i] = -1;
                add_square(m, factor * mu / 4, edge); /* each edge is met from both ends */
            }
        }
}

/* The coefficient of the product of some coordinates in component i. */
static void coefficient(int i, int axes, double factor, double row[UNKNOWNS])
{
    for (int a = 0; a < 8; a++) {
        double shape = 1, norm = 8;
        for (int axis = 0; axis < 3; axis++)
            if (axes >> axis & 1)
                shape *= place(a, axis), norm /= 4;
        row[3 * a + i] += factor * shape / norm;
    }
}

/* Bending with Young's modulus, shears (a + b) z of twists, and mode xyz. */
static void add_assumed(matrix m, double mu)
{
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double bend[UNKNOWNS] = {0}, other[UNKNOWNS] = {0}, shear[UNKNOWNS] = {0};
        double last[UNKNOWNS] = {0};
        coefficient(i, 1 << i | 1 << j, 1, bend);
        coefficient(i, 1 << i | 1 << k, 1, other);
        coefficient(i, 1 << j | 1 << k, 1, shear);
        coefficient(j, 1 << i | 1 << k, 1, shear);
        coefficient(i, 7, 1, last);
        add_square(m, YOUNG / 12, bend);
        add_square(m, YOUNG / 12, other);
        add_square(m, mu / 12, shear);
        add_square(m, mu / 48, last);
    }
}

/* ---- The matrix of a cell. ---- */

static void matrix_of(const sn_corotated_cell *cell, matrix m)
{
    double rest[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    sn_corotated_state state;
    sn_corotated_linearise(cell, rest, true, &state);
    for (int j = 0; j < UNKNOWNS; j++) {
        double unit[8][3] = {{0}}, change[8][3];
        unit[j / 3][j % 3] = 1;
        sn_corotated_differential(cell, &state, unit, change);
        for (int i = 0; i < UNKNOWNS; i++)
            m[i][j] = -change[i / 3][i % 3];
    }
}

static void closed_form(const sn_corotated_cell *cell, double poisson, double rule, matrix m)
{
    memset(m, 0, sizeof(matrix));
    add_one_point(m, cell->mu, cell->lambda);
    if (rule == SN_HOURGLASS_ASSUMED)
        add_assumed(m, cell->mu);
    else
        add_edges(m, rule == SN_HOURGLASS_SCALED ? (1 + poisson) / 6 : rule, cell->mu);
}

static const double RULES[] = {SN_HOURGLASS_ASSUMED, SN_HOURGLASS_SCALED, SN_HOURGLASS_PAPER, 0.3};
static const double POISSONS[] = {-0.4, 0, 0.3, 0.45};
enum { N_RULES = sizeof RULES / sizeof *RULES, N_POISSONS = sizeof POISSONS / sizeof *POISSONS };

/* Parameters are in single precision; numbers of a matrix are below 1. */
static const double ROUNDED = 2e-7;

static void matrices_are_the_closed_forms(void)
{
    static matrix got, expected;
    for (int r = 0; r < N_RULES; r++)
        for (int p = 0; p < N_POISSONS; p++) {
            double edge = 0.7;
            sn_corotated_cell cell = cell_of(edge, POISSONS[p], RULES[r]);
            matrix_of(&cell, got);
            closed_form(&cell, POISSONS[p], RULES[r], expected);
            for (int i = 0; i < UNKNOWNS * UNKNOWNS; i++) {
                double is = ((double *)got)[i], should = edge * ((double *)expected)[i];
                CHECK(fabs(is - should) < ROUNDED, "rule %g, nu %g, entry %d: %g, not %g", RULES[r],
                      POISSONS[p], i, is, should);
            }
        }
}

/* ---- A cell of a beam. ---- */

typedef void shape_of(const double x[3], double amount, double u[3]);

/* Fibres along x are longer where z is. Corners don't see the sag: x^2 is the same at all. */
static void bent(const double x[3], double curvature, double u[3])
{
    u[0] = curvature * x[0] * x[2], u[1] = u[2] = 0;
}

static void twisted(const double x[3], double rate, double u[3])
{
    u[0] = 0, u[1] = -rate * x[0] * x[2], u[2] = rate * x[0] * x[1];
}

/* The energy of a cell in this shape, turned by a random rotation. */
static double energy_of(random_state *random, const sn_corotated_cell *cell, shape_of *shape,
                        double amount)
{
    double r[3][3], corner[8][3];
    random_rotation(random, r);
    for (int a = 0; a < 8; a++) {
        double x[3], u[3];
        for (int i = 0; i < 3; i++)
            x[i] = cell->edge * place(a, i);
        shape(x, amount, u);
        for (int i = 0; i < 3; i++)
            x[i] += u[i];
        for (int i = 0; i < 3; i++)
            corner[a][i] = r[i][0] * x[0] + r[i][1] * x[1] + r[i][2] * x[2];
    }
    return sn_corotated_energy(cell, corner);
}

static void check_energy(const char *what, double is, double should)
{
    CHECK(fabs(is - should) < ROUNDED * should, "%s: energy %g, not %g", what, is, should);
}

/* E I curvature^2 h / 2 with I = h^4 / 12, and mu rate^2 / 2 times the integral of y^2 + z^2. The
 * paper's rule is 6 / (1 + nu) times as stiff in bending. */
static void a_cell_bends_and_twists_as_a_beam(void)
{
    random_state random = 7;
    double edge = 0.7, amount = 0.4;
    for (int p = 0; p < N_POISSONS; p++) {
        sn_corotated_cell assumed = cell_of(edge, POISSONS[p], SN_HOURGLASS_ASSUMED);
        sn_corotated_cell scaled = cell_of(edge, POISSONS[p], SN_HOURGLASS_SCALED);
        sn_corotated_cell paper = cell_of(edge, POISSONS[p], SN_HOURGLASS_PAPER);
        double bending = YOUNG * pow(edge, 5) / 24 * amount * amount;
        double torsion = assumed.mu * pow(edge, 5) / 12 * amount * amount;
        check_energy("assumed", energy_of(&random, &assumed, bent, amount), bending);
        check_energy("scaled", energy_of(&random, &scaled, bent, amount), bending);
        check_energy("paper", energy_of(&random, &paper, bent, amount),
                     bending * 6 / (1 + POISSONS[p]));
        check_energy("torsion", energy_of(&random, &assumed, twisted, amount), torsion);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    matrices_are_the_closed_forms();
    a_cell_bends_and_twists_as_a_beam();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
