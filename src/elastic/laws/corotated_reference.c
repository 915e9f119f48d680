#include "elastic/laws/corotated_reference.h"

#include "elastic/laws/corotated.h"
#include "elastic/reference.h"
#include "elastic/svd3_reference.h"

#include <math.h>

/* A B^T. */
static void times_transpose(double a[3][3], double b[3][3], double result[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            result[i][j] = a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2];
}

/* ---- The Laplacian part: the middles of the edges (4.1.2). ---- */

static double laplacian_energy(const sn_corotated_cell *cell, double x[8][3])
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int a = 0; a < 8; a++)
            if (!(a >> axis & 1))
                for (int i = 0; i < 3; i++)
                    sum += pow((x[a | 1 << axis][i] - x[a][i]) / cell->edge, 2) / 4;
    return cell->mu * sum * pow(cell->edge, 3);
}

/* Equations 4 and 5, the stiffness between the ends of one edge. */
static double edge_stiffness(const sn_corotated_cell *cell)
{
    return 2 * cell->mu * cell->edge / 4;
}

static void laplacian_force(const sn_corotated_cell *cell, double x[8][3], double force[8][3])
{
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++) {
            force[a][i] = 0;
            for (int axis = 0; axis < 3; axis++)
                force[a][i] += edge_stiffness(cell) * (x[a ^ 1 << axis][i] - x[a][i]);
        }
}

/* ---- Energy and force. ---- */

double sn_corotated_energy(const sn_corotated_cell *cell, double x[8][3])
{
    double f[3][3], u[3][3], sigma[3], v[3][3];
    sn_reference_gradient(cell->edge, x, f);
    sn_svd3_reference(f, u, sigma, v);
    double trace = sigma[0] + sigma[1] + sigma[2];
    double auxiliary =
        -2 * cell->mu * trace + 3 * cell->mu + cell->lambda / 2 * (trace - 3) * (trace - 3);
    return laplacian_energy(cell, x) + pow(cell->edge, 3) * auxiliary;
}

void sn_corotated_force(const sn_corotated_cell *cell, double x[8][3], double force[8][3])
{
    double f[3][3], u[3][3], sigma[3], v[3][3], stress[3][3];
    sn_reference_gradient(cell->edge, x, f);
    sn_svd3_reference(f, u, sigma, v);
    double trace = sigma[0] + sigma[1] + sigma[2];
    times_transpose(u, v, stress);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress[i][j] *= -2 * cell->mu + cell->lambda * (trace - 3);
    laplacian_force(cell, x, force);
    sn_reference_add_stress(cell->edge, stress, force);
}

void sn_corotated_principal_stress(const sn_corotated_cell *cell, double f[3][3], double stress[3])
{
    double u[3][3], sigma[3], v[3][3];
    sn_svd3_reference(f, u, sigma, v);
    double trace = sigma[0] + sigma[1] + sigma[2];
    for (int i = 0; i < 3; i++)
        stress[i] = sigma[i] * (2 * cell->mu * (sigma[i] - 1) + cell->lambda * (trace - 3));
}

/* ---- The differential. ---- */

/* Line 2 and 3 of algorithm 1: the eigenvalue of L_aux along axis i. */
static double auxiliary_eigenvalue(const sn_corotated_cell *cell, const double sigma[3], int i,
                                   bool definite)
{
    double trace = sigma[0] + sigma[1] + sigma[2], pair = trace - sigma[i];
    double c = cell->lambda * (trace - 3) - 2 * cell->mu;
    if (!definite)
        return c / pair;
    return fmax(c / fmax(pair, SN_LEAST_PAIR_SUM * fmax(1, trace)), -cell->mu);
}

void sn_corotated_linearise(const sn_corotated_cell *cell, double f[3][3], bool definite,
                            sn_corotated_state *state)
{
    double u[3][3], sigma[3], v[3][3], scaled[3][3];
    sn_svd3_reference(f, u, sigma, v);
    times_transpose(u, v, state->rotation);
    for (int i = 0; i < 3; i++) {
        double l = auxiliary_eigenvalue(cell, sigma, i, definite);
        for (int j = 0; j < 3; j++)
            scaled[j][i] = v[j][i] * l;
    }
    times_transpose(scaled, v, state->l_aux);
}

/* Algorithm 1, DPAUXDEFINITEFIX. */
static void auxiliary_stress_change(const sn_corotated_cell *cell, const sn_corotated_state *state,
                                    double df[3][3], double dp[3][3])
{
    const double(*r)[3] = state->rotation;
    double local[3][3], inner[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            local[i][j] = r[0][i] * df[0][j] + r[1][i] * df[1][j] + r[2][i] * df[2][j];
    double twist[3], torque[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        twist[i] = local[k][j] - local[j][k];
    }
    for (int i = 0; i < 3; i++)
        torque[i] = state->l_aux[i][0] * twist[0] + state->l_aux[i][1] * twist[1] +
                    state->l_aux[i][2] * twist[2];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        inner[i][i] = cell->lambda * (local[0][0] + local[1][1] + local[2][2]);
        inner[k][j] = torque[i];
        inner[j][k] = -torque[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            dp[i][j] = r[i][0] * inner[0][j] + r[i][1] * inner[1][j] + r[i][2] * inner[2][j];
}

void sn_corotated_differential(const sn_corotated_cell *cell, const sn_corotated_state *state,
                               double displacement[8][3], double change[8][3])
{
    double df[3][3], dp[3][3];
    sn_reference_gradient(cell->edge, displacement, df);
    auxiliary_stress_change(cell, state, df, dp);
    laplacian_force(cell, displacement, change);
    sn_reference_add_stress(cell->edge, dp, change);
}

/* ---- The diagonal (7.4). ---- */

static double auxiliary_diagonal(const sn_corotated_cell *cell, const sn_corotated_state *state,
                                 const double g[3], int component)
{
    const double *r = state->rotation[component];
    double turn[3], form = 0;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        turn[i] = g[j] * r[k] - g[k] * r[j];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            form += turn[i] * state->l_aux[i][j] * turn[j];
    double along = r[0] * g[0] + r[1] * g[1] + r[2] * g[2];
    return pow(cell->edge, 3) * (cell->lambda * along * along + form);
}

static double laplacian_diagonal(const sn_corotated_cell *cell, double w[8][8], int b)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int a = 0; a < 8; a++)
            if (!(a >> axis & 1))
                sum += pow(w[a | 1 << axis][b] - w[a][b], 2);
    return edge_stiffness(cell) * sum;
}

void sn_corotated_diagonal(const sn_corotated_cell *cell, const sn_corotated_state *state,
                           double w[8][8], double diagonal[8][3])
{
    for (int b = 0; b < 8; b++) {
        double g[3] = {0};
        for (int axis = 0; axis < 3; axis++)
            for (int a = 0; a < 8; a++)
                g[axis] += w[a][b] * sn_reference_shape_gradient(cell->edge, axis, a);
        for (int i = 0; i < 3; i++)
            diagonal[b][i] = laplacian_diagonal(cell, w, b) + auxiliary_diagonal(cell, state, g, i);
    }
}
