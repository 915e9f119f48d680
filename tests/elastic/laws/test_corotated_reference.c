/* The reference of the corotational law against finite differences, conservation laws and their own
 * matrices. */
#include "helpers/elastic_cases.h"

#include "elastic/laws/corotated.h"
#include "elastic/laws/corotated_reference.h"
#include "elastic/reference.h"
#include "elastic/svd3_reference.h"

enum { UNKNOWNS = 24, SAMPLES = 300 };

/* Every other one follows the assumed strain. */
static sn_corotated_cell random_cell(random_state *state)
{
    sn_corotated_cell cell = {
        .edge = between(state, 0.1, 2),
        .point = {between(state, -1, 1), between(state, -1, 1), between(state, -1, 1)},
        .mu = between(state, 0.5, 2),
        .lambda = between(state, 0, 1) < 0.2 ? 0 : between(state, 0, 20)};
    cell.bending = cell.mu * between(state, 0.05, 1);
    cell.assumed = between(state, 0, 1) < 0.5 ? 0 : cell.mu;
    return cell;
}

/* The element as a function of its conforming nodes. */
typedef struct {
    sn_corotated_cell cell;
    double w[8][8];
} element;

static element random_element(random_state *state, hanging_case hanging)
{
    element e = {.cell = random_cell(state)};
    sn_reference_weights(hanging.child, hanging.hanging, e.w);
    return e;
}

static double energy(element *e, double x[8][3])
{
    double primary[8][3];
    sn_reference_gather(e->w, x, primary);
    return sn_corotated_energy(&e->cell, primary);
}

static void force(element *e, double x[8][3], double result[8][3])
{
    double primary[8][3], f[8][3];
    sn_reference_gather(e->w, x, primary);
    sn_corotated_force(&e->cell, primary, f);
    sn_reference_scatter(e->w, f, result);
}

static void gradient(element *e, double x[8][3], double f[3][3])
{
    double primary[8][3];
    sn_reference_gather(e->w, x, primary);
    sn_reference_gradient(e->cell.edge, e->cell.point, primary, f);
}

static void differential(element *e, const sn_corotated_state *state, double u[8][3],
                         double result[8][3])
{
    double primary[8][3], f[8][3];
    sn_reference_gather(e->w, u, primary);
    sn_corotated_differential(&e->cell, state, primary, f);
    sn_reference_scatter(e->w, f, result);
}

static double largest(double v[8][3])
{
    double most = 0;
    for (int i = 0; i < 24; i++)
        most = fmax(most, fabs(v[i / 3][i % 3]));
    return most;
}

static double difference(double a[8][3], double b[8][3])
{
    double d[8][3];
    for (int i = 0; i < 24; i++)
        d[i / 3][i % 3] = a[i / 3][i % 3] - b[i / 3][i % 3];
    return largest(d);
}

static double dot(double a[8][3], double b[8][3])
{
    double sum = 0;
    for (int i = 0; i < 24; i++)
        sum += a[i / 3][i % 3] * b[i / 3][i % 3];
    return sum;
}

static void random_field(random_state *state, double size, double u[8][3])
{
    for (int i = 0; i < 24; i++)
        u[i / 3][i % 3] = between(state, -size, size);
}

static void moved(double x[8][3], double step, double u[8][3], double result[8][3])
{
    for (int i = 0; i < 24; i++)
        result[i / 3][i % 3] = x[i / 3][i % 3] + step * u[i / 3][i % 3];
}

/* How far the gradient is from those where R is not unique: the least pair sum. */
static double distance_to_kink(element *e, double x[8][3])
{
    double f[3][3], u[3][3], sigma[3], v[3][3];
    gradient(e, x, f);
    sn_svd3_reference(f, u, sigma, v);
    return sigma[1] + sigma[2];
}

/* ---- Finite differences. ---- */

static void check_derivatives(random_state *random, hanging_case hanging, gradient_kind kind)
{
    element e = random_element(random, hanging);
    double f[3][3], x[8][3], u[8][3], ahead[8][3], behind[8][3];
    bool straight = hanging.hanging == 0 && between(random, 0, 1) < 0.3;
    random_gradient(random, kind, f);
    positions(random, e.cell.edge, f, straight ? 0 : 0.2, x);
    if (distance_to_kink(&e, x) < 0.05)
        return; /* the energy has no derivative there */
    double step = 1e-5 * e.cell.edge, stiffness = (e.cell.mu + e.cell.lambda) * e.cell.edge;
    random_field(random, 1, u);
    moved(x, step, u, ahead);
    moved(x, -step, u, behind);

    double at[8][3], slope = (energy(&e, ahead) - energy(&e, behind)) / (2 * step);
    force(&e, x, at);
    double size = stiffness * (largest(x) + e.cell.edge);
    CHECK(fabs(slope + dot(at, u)) < 1e-7 * size, "child %d hanging %02x kind %d: %g, %g",
          hanging.child, hanging.hanging, kind, slope, -dot(at, u));

    if (e.cell.assumed > 0 && !straight)
        return; /* exact only where hourglass modes vanish */
    double gradient_here[3][3], f_ahead[8][3], f_behind[8][3], exact[8][3];
    gradient(&e, x, gradient_here);
    sn_corotated_state state;
    sn_corotated_linearise(&e.cell, gradient_here, false, &state);
    force(&e, ahead, f_ahead);
    force(&e, behind, f_behind);
    differential(&e, &state, u, exact);
    for (int i = 0; i < 24; i++)
        f_ahead[i / 3][i % 3] = (f_ahead[i / 3][i % 3] - f_behind[i / 3][i % 3]) / (2 * step);
    CHECK(difference(f_ahead, exact) < 3e-6 * stiffness * (1 + largest(x) / e.cell.edge),
          "child %d hanging %02x kind %d: %g", hanging.child, hanging.hanging, kind,
          difference(f_ahead, exact));
}

static void derivatives(void)
{
    hanging_case cases[MOST_HANGING_CASES];
    int n = all_hanging_cases(cases);
    CHECK(n == 8 * 18, "%d hanging cases", n);
    random_state random = 1;
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind <= INVERTED; kind++)
            for (int k = 0; k < 8; k++)
                check_derivatives(&random, cases[i], (gradient_kind)kind);
    for (int k = 0; k < SAMPLES; k++)
        for (int kind = 0; kind <= NEARLY_EQUAL; kind++)
            check_derivatives(&random, cases[0], (gradient_kind)kind);
}

/* Psi of an element that is stretched so along the axes. */
static double energy_density(random_state *random, const sn_corotated_cell *cell,
                             const double stretch[3])
{
    double f[3][3] = {{stretch[0]}, {0, stretch[1]}, {0, 0, stretch[2]}}, x[8][3];
    positions(random, cell->edge, f, 0, x);
    return sn_corotated_energy(cell, x) / pow(cell->edge, 3);
}

/* Kirchhoff's stress along an axis is what Psi grows by with the logarithm of the stretch. */
static void stress_is_the_slope_of_energy(void)
{
    random_state random = 4;
    for (int k = 0; k < SAMPLES; k++) {
        sn_corotated_cell cell = random_cell(&random);
        double s[3] = {between(&random, 1.4, 2), between(&random, 0.8, 1.3),
                       between(&random, -0.6, 0.7)};
        double f[3][3] = {{s[0]}, {0, s[1]}, {0, 0, s[2]}}, stress[3];
        sn_corotated_principal_stress(&cell, f, stress);
        for (int i = 0; i < 3; i++) {
            double ahead[3] = {s[0], s[1], s[2]}, behind[3] = {s[0], s[1], s[2]}, step = 1e-5;
            ahead[i] += step, behind[i] -= step;
            double slope =
                (energy_density(&random, &cell, ahead) - energy_density(&random, &cell, behind)) /
                (2 * step);
            CHECK(fabs(slope * s[i] - stress[i]) < 1e-8 * (cell.mu + cell.lambda),
                  "axis %d: %g, not %g", i, stress[i], slope * s[i]);
        }
    }
}

/* ---- The element's matrix. ---- */

static void matrix_of(element *e, const sn_corotated_state *state, double m[UNKNOWNS][UNKNOWNS])
{
    for (int j = 0; j < UNKNOWNS; j++) {
        double unit[8][3] = {{0}}, change[8][3];
        unit[j / 3][j % 3] = 1;
        differential(e, state, unit, change);
        for (int i = 0; i < UNKNOWNS; i++)
            m[i][j] = -change[i / 3][i % 3];
    }
}

static double asymmetry(double m[UNKNOWNS][UNKNOWNS])
{
    double most = 0;
    for (int i = 0; i < UNKNOWNS; i++)
        for (int j = 0; j < i; j++)
            most = fmax(most, fabs(m[i][j] - m[j][i]));
    return most;
}

static void rotate(double m[UNKNOWNS][UNKNOWNS], int p, int q)
{
    if (m[p][q] == 0)
        return;
    double zeta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
    double t = copysign(1 / (fabs(zeta) + hypot(1, zeta)), zeta), c = 1 / hypot(1, t), s = t * c;
    for (int k = 0; k < UNKNOWNS; k++) {
        double a = m[k][p], b = m[k][q];
        m[k][p] = c * a - s * b;
        m[k][q] = s * a + c * b;
    }
    for (int k = 0; k < UNKNOWNS; k++) {
        double a = m[p][k], b = m[q][k];
        m[p][k] = c * a - s * b;
        m[q][k] = s * a + c * b;
    }
}

/* Least and largest eigenvalue by Jacobi's method; destroys the matrix. */
static void extreme_eigenvalues(double m[UNKNOWNS][UNKNOWNS], double *least, double *most)
{
    for (int sweep = 0; sweep < 10; sweep++)
        for (int p = 0; p < UNKNOWNS; p++)
            for (int q = p + 1; q < UNKNOWNS; q++)
                rotate(m, p, q);
    *least = *most = m[0][0];
    for (int i = 1; i < UNKNOWNS; i++) {
        *least = fmin(*least, m[i][i]);
        *most = fmax(*most, m[i][i]);
    }
}

/* Returns whether the exact differential is definite. */
static bool check_definiteness(random_state *random, hanging_case hanging, gradient_kind kind)
{
    element e = random_element(random, hanging);
    double f[3][3], m[UNKNOWNS][UNKNOWNS], exact[UNKNOWNS][UNKNOWNS];
    random_gradient(random, kind, f);
    sn_corotated_state fixed, unfixed;
    sn_corotated_linearise(&e.cell, f, true, &fixed);
    matrix_of(&e, &fixed, m);
    double diagonal[8][3], off = 0, size = 0;
    sn_corotated_diagonal(&e.cell, &fixed, e.w, diagonal);
    for (int i = 0; i < UNKNOWNS; i++) {
        size = fmax(size, m[i][i]);
        off = fmax(off, fabs(diagonal[i / 3][i % 3] - m[i][i]));
    }
    CHECK(off < 1e-13 * size, "diagonal off by %g of %g", off, size);
    CHECK(asymmetry(m) < 1e-13 * size, "asymmetry %g of %g", asymmetry(m), size);

    double s[3], u[3][3], v[3][3], least, most, change = 0;
    sn_svd3_reference(f, u, s, v);
    double trace = s[0] + s[1] + s[2];
    bool unique = s[1] + s[2] > SN_LEAST_PAIR_SUM * fmax(1, trace);
    if (unique) {
        sn_corotated_linearise(&e.cell, f, false, &unfixed);
        matrix_of(&e, &unfixed, exact);
        for (int i = 0; i < UNKNOWNS * UNKNOWNS; i++)
            change = fmax(change, fabs(((double *)exact)[i] - ((double *)m)[i]));
    }
    extreme_eigenvalues(m, &least, &most);
    CHECK(least > -1e-13 * most, "fixed, kind %d: %g of %g", kind, least, most);
    if (!unique)
        return false;
    extreme_eigenvalues(exact, &least, &most);
    bool definite = least > -1e-12 * most;
    CHECK(!definite || change <= 1e-11 * most, "kind %d: fixed by %g though definite", kind,
          change);
    CHECK(definite || change > 0, "kind %d: indefinite by %g but not fixed", kind, least);
    return definite;
}

static void definiteness(void)
{
    hanging_case cases[MOST_HANGING_CASES];
    int n = all_hanging_cases(cases), definite = 0, tried = 0;
    random_state random = 2;
    for (int i = 0; i < n; i++)
        for (int kind = 0; kind < GRADIENT_KINDS; kind++, tried++)
            definite += check_definiteness(&random, cases[i], (gradient_kind)kind);
    for (int k = 0; k < SAMPLES; k++)
        for (int kind = 0; kind < GRADIENT_KINDS; kind++, tried++)
            definite += check_definiteness(&random, cases[0], (gradient_kind)kind);
    CHECK(definite > tried / 10 && definite < tried * 9 / 10, "%d of %d definite", definite, tried);
}

/* ---- Laws. ---- */

static void check_motion(random_state *random, hanging_case hanging)
{
    element e = random_element(random, hanging);
    double r[3][3], f[3][3], x[8][3], result[3][3], forces[8][3];
    random_rotation(random, r);
    random_gradient(random, ENTRIES_AT_RANDOM, f);
    /* Conforming nodes of an affine field: where hanging, twice as far from the child's corner. */
    for (int pass = 0; pass < 2; pass++) {
        double(*map)[3] = pass ? r : f;
        for (int a = 0; a < 8; a++)
            for (int i = 0; i < 3; i++) {
                x[a][i] = 0.3 * i;
                for (int j = 0; j < 3; j++) {
                    int own = hanging.child >> j & 1, corner = a >> j & 1;
                    int reach = hanging.hanging >> a & 1 ? 2 * corner - own : corner;
                    x[a][i] += map[i][j] * e.cell.edge * reach;
                }
            }
        gradient(&e, x, result);
        for (int i = 0; i < 9; i++)
            CHECK(fabs(result[i / 3][i % 3] - map[i / 3][i % 3]) < 1e-14, "gradient of a map");
    }
    double scale = (e.cell.mu + e.cell.lambda) * e.cell.edge * e.cell.edge;
    force(&e, x, forces);
    CHECK(fabs(energy(&e, x)) < 1e-13 * scale * e.cell.edge, "rigid energy %g", energy(&e, x));
    CHECK(largest(forces) < 1e-13 * scale, "rigid force %g", largest(forces));
}

static void check_balance(random_state *random, hanging_case hanging)
{
    element e = random_element(random, hanging);
    double f[3][3], x[8][3], forces[8][3];
    random_gradient(random, ENTRIES_AT_RANDOM, f);
    positions(random, e.cell.edge, f, 0.3, x);
    force(&e, x, forces);
    double scale = (e.cell.mu + e.cell.lambda) * e.cell.edge * e.cell.edge;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double net = 0, torque = 0;
        for (int a = 0; a < 8; a++) {
            net += forces[a][i];
            torque += x[a][j] * forces[a][k] - x[a][k] * forces[a][j];
        }
        CHECK(fabs(net) < 1e-13 * scale, "net force %g", net);
        CHECK(fabs(torque) < 1e-12 * scale * e.cell.edge, "net torque %g", torque);
    }
}

static void laws(void)
{
    hanging_case cases[MOST_HANGING_CASES];
    int n = all_hanging_cases(cases);
    random_state random = 3;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 20; k++) {
            check_motion(&random, cases[i]);
            check_balance(&random, cases[i]);
        }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    derivatives();
    stress_is_the_slope_of_energy();
    definiteness();
    laws();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
