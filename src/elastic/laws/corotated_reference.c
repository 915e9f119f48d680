#include "elastic/laws/corotated_reference.h"

#include "elastic/hourglass.h"
#include "elastic/laws/corotated.h"
#include "elastic/reference.h"
#include "elastic/svd3_reference.h"

#include <math.h>
#include <string.h>

/* A B^T. */
static void times_transpose(double a[3][3], double b[3][3], double result[3][3])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            result[i][j] = a[i][0] * b[j][0] + a[i][1] * b[j][1] + a[i][2] * b[j][2];
}

/* ---- Hourglass modes. ---- */

/* The values +-1 of a mode at the corners: the product of the corner's signs along its axes. */
static int mode_sign(int mode, int a)
{
    int sign = 1;
    for (int axis = 0; axis < 3; axis++)
        if (mode >> axis & 1)
            sign *= a >> axis & 1 ? 1 : -1;
    return sign;
}

/* Modes 6, 5, 3, whose axes are the two others of x, y and z; and mode 7. */
static const int hourglass_mode[4] = {6, 5, 3, 7};

static void hourglass_modes(double x[8][3], double mode[4][3])
{
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 3; i++) {
            mode[m][i] = 0;
            for (int a = 0; a < 8; a++)
                mode[m][i] += mode_sign(hourglass_mode[m], a) * x[a][i];
        }
}

/* Adds the forces at the corners of forces on the modes. */
static void add_hourglass(double mode[4][3], double sign, double force[8][3])
{
    for (int a = 0; a < 8; a++)
        for (int i = 0; i < 3; i++)
            for (int m = 0; m < 4; m++)
                force[a][i] += sign * mode_sign(hourglass_mode[m], a) * mode[m][i];
}

/* Of the first three modes, turned back; mode 7 as it is. */
static void turn_back(const double r[3][3], double mode[4][3], double turned[4][3])
{
    for (int i = 0; i < 3; i++) {
        for (int m = 0; m < 3; m++)
            turned[m][i] = r[0][i] * mode[m][0] + r[1][i] * mode[m][1] + r[2][i] * mode[m][2];
        turned[3][i] = mode[3][i];
    }
}

static void turn(const double r[3][3], double turned[4][3], double mode[4][3])
{
    for (int i = 0; i < 3; i++) {
        for (int m = 0; m < 3; m++)
            mode[m][i] = r[i][0] * turned[m][0] + r[i][1] * turned[m][1] + r[i][2] * turned[m][2];
        mode[3][i] = turned[3][i];
    }
}

/* The gradient of the energy of turned modes, by the two rules of which an element has a share. */
static void isotropic_forces(const sn_corotated_cell *cell, double turned[4][3], double force[4][3])
{
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 3; i++)
            force[m][i] = cell->edge / 8 * cell->bending * (m < 3 ? 2 : 3) * turned[m][i];
}

static void assumed_forces(const sn_corotated_cell *cell, double turned[4][3], double force[4][3])
{
    double twist = cell->edge / 48 * cell->mu, sum = turned[0][0] + turned[1][1] + turned[2][2];
    isotropic_forces(cell, turned, force);
    for (int i = 0; i < 3; i++) {
        force[i][i] = twist * (turned[i][i] + sum);
        force[3][i] = twist * turned[3][i];
    }
}

static void hourglass_forces(const sn_corotated_cell *cell, double share, double turned[4][3],
                             double force[4][3])
{
    double isotropic[4][3], assumed[4][3];
    isotropic_forces(cell, turned, isotropic);
    assumed_forces(cell, turned, assumed);
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 3; i++)
            force[m][i] = (1 - share) * isotropic[m][i] + share * assumed[m][i];
}

/* Both are quadratic: half of the gradient times the modes. */
static double hourglass_energy(const sn_corotated_cell *cell, double share, double turned[4][3])
{
    double force[4][3], sum = 0;
    hourglass_forces(cell, share, turned, force);
    for (int m = 0; m < 4; m++)
        for (int i = 0; i < 3; i++)
            sum += force[m][i] * turned[m][i] / 2;
    return sum;
}

/* ---- How sound the element is. ---- */

static double trace_scale(const double sigma[3])
{
    return fmax(1, sigma[0] + sigma[1] + sigma[2]);
}

static double fullness(const double sigma[3])
{
    return fmax(0, 27 * sigma[0] * sigma[1] * sigma[2] / pow(trace_scale(sigma), 3));
}

static double sound_share(const double sigma[3])
{
    double part = fmin(1, fullness(sigma) / SN_SOUND_FULLNESS);
    return part * part * (3 - 2 * part);
}

static double assumed_share(const sn_corotated_cell *cell, const double sigma[3])
{
    return cell->assumed / cell->mu * sound_share(sigma);
}

/* The derivative of the share by one singular value: the product of the others, and the scale's. */
static double share_slope(const sn_corotated_cell *cell, const double sigma[3], int i)
{
    double scale = trace_scale(sigma), full = fullness(sigma);
    double part = fmin(1, full / SN_SOUND_FULLNESS);
    double slope = 27 * sigma[(i + 1) % 3] * sigma[(i + 2) % 3] / pow(scale, 3);
    if (scale > 1)
        slope -= 3 * full / scale;
    return cell->assumed / cell->mu * 6 * part * (1 - part) * slope / SN_SOUND_FULLNESS;
}

/* ---- Energy and force. ---- */

double sn_corotated_energy(const sn_corotated_cell *cell, double x[8][3])
{
    double f[3][3], u[3][3], sigma[3], v[3][3], r[3][3], mode[4][3], turned[4][3];
    sn_reference_gradient(cell->edge, cell->point, x, f);
    sn_svd3_reference(f, u, sigma, v);
    times_transpose(u, v, r);
    hourglass_modes(x, mode);
    turn_back(r, mode, turned);
    double trace = sigma[0] + sigma[1] + sigma[2], shear = 0;
    for (int i = 0; i < 3; i++)
        shear += cell->mu * pow(sigma[i] - 1, 2);
    return pow(cell->edge, 3) * (shear + cell->lambda / 2 * pow(trace - 3, 2)) +
           hourglass_energy(cell, assumed_share(cell, sigma), turned);
}

/* The torque of turned modes along the axes of S, each over its pair sum: an axis turns by what
 * dF has there over the pair sum. Where one vanishes there is no share. */
static void turning_torque(const sn_corotated_cell *cell, const double sigma[3], double v[3][3],
                           double turned[4][3], double along[3])
{
    double force[4][3], torque[3] = {0}, share = assumed_share(cell, sigma);
    assumed_forces(cell, turned, force);
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++)
            torque[k] += force[m][(k + 1) % 3] * turned[m][(k + 2) % 3] -
                         force[m][(k + 2) % 3] * turned[m][(k + 1) % 3];
    for (int i = 0; i < 3; i++) {
        double pair = sigma[(i + 1) % 3] + sigma[(i + 2) % 3];
        along[i] = v[0][i] * torque[0] + v[1][i] * torque[1] + v[2][i] * torque[2];
        along[i] = share > 0 ? share * along[i] / pair : 0;
    }
}

/* What the hourglass energy asks for as R and the share follow F, per volume: U X V^T with the
 * torque in the skew part of X and the share's slope on its diagonal. */
static void add_response(const sn_corotated_cell *cell, double u[3][3], const double sigma[3],
                         double v[3][3], double turned[4][3], double stress[3][3])
{
    double along[3], inner[3][3], left[3][3], result[3][3], volume = pow(cell->edge, 3);
    turning_torque(cell, sigma, v, turned, along);
    double more = hourglass_energy(cell, 1, turned) - hourglass_energy(cell, 0, turned);
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        inner[i][i] = more * share_slope(cell, sigma, i) / volume;
        inner[k][j] = along[i] / volume;
        inner[j][k] = -along[i] / volume;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            left[i][j] = u[i][0] * inner[0][j] + u[i][1] * inner[1][j] + u[i][2] * inner[2][j];
    times_transpose(left, v, result);
    for (int i = 0; i < 9; i++)
        stress[i / 3][i % 3] += result[i / 3][i % 3];
}

static void add_hourglass_force(const sn_corotated_cell *cell, const double r[3][3], double share,
                                double x[8][3], double force[8][3])
{
    double mode[4][3], turned[4][3], gradient[4][3];
    hourglass_modes(x, mode);
    turn_back(r, mode, turned);
    hourglass_forces(cell, share, turned, gradient);
    turn(r, gradient, mode);
    add_hourglass(mode, -1, force);
}

void sn_corotated_force(const sn_corotated_cell *cell, double x[8][3], double force[8][3])
{
    double f[3][3], u[3][3], sigma[3], v[3][3], r[3][3], mode[4][3], turned[4][3], stress[3][3];
    sn_reference_gradient(cell->edge, cell->point, x, f);
    sn_svd3_reference(f, u, sigma, v);
    times_transpose(u, v, r);
    double pressure = cell->lambda * (sigma[0] + sigma[1] + sigma[2] - 3);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stress[i][j] = 2 * cell->mu * (f[i][j] - r[i][j]) + pressure * r[i][j];
    hourglass_modes(x, mode);
    turn_back(r, mode, turned);
    add_response(cell, u, sigma, v, turned, stress);
    memset(force, 0, 24 * sizeof(double));
    sn_reference_add_stress(cell->edge, cell->point, stress, force);
    add_hourglass_force(cell, r, assumed_share(cell, sigma), x, force);
}

/* ---- Damping. ---- */

static void rotate_back(double r[3][3], const double v[3], double turned[3])
{
    for (int i = 0; i < 3; i++)
        turned[i] = r[0][i] * v[0] + r[1][i] * v[1] + r[2][i] * v[2];
}

sn_corotated_strain sn_corotated_strain_of(const sn_corotated_cell *cell, double x[8][3])
{
    sn_corotated_strain strain;
    double f[3][3], u[3][3], sigma[3], v[3][3], r[3][3], mode[4][3], stretched[3][3];
    sn_reference_gradient(cell->edge, cell->point, x, f);
    sn_svd3_reference(f, u, sigma, v);
    times_transpose(u, v, r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            stretched[j][i] = v[j][i] * (sigma[i] - 1);
    times_transpose(stretched, v, strain.stretch);
    hourglass_modes(x, mode);
    for (int m = 0; m < 4; m++)
        rotate_back(r, mode[m], strain.hourglass[m]);
    return strain;
}

double sn_corotated_damping_share(const sn_corotated_cell *cell, double x[8][3])
{
    double f[3][3], u[3][3], sigma[3], v[3][3];
    sn_reference_gradient(cell->edge, cell->point, x, f);
    sn_svd3_reference(f, u, sigma, v);
    return sound_share(sigma);
}

double sn_corotated_damping_energy(const sn_corotated_cell *cell, double x[8][3],
                                   const sn_corotated_strain *before)
{
    sn_corotated_strain change = sn_corotated_strain_of(cell, x);
    double squares = 0, trace = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            change.stretch[i][j] -= before->stretch[i][j];
            squares += pow(change.stretch[i][j], 2);
        }
        for (int m = 0; m < 4; m++)
            change.hourglass[m][i] -= before->hourglass[m][i];
        trace += change.stretch[i][i];
    }
    return pow(cell->edge, 3) * (cell->mu * squares + cell->lambda / 2 * trace * trace) +
           hourglass_energy(cell, cell->assumed / cell->mu, change.hourglass);
}

/* ---- For output. ---- */

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
    state->assumed = assumed_share(cell, sigma);
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
    sn_reference_gradient(cell->edge, cell->point, displacement, df);
    auxiliary_stress_change(cell, state, df, dp);
    for (int i = 0; i < 9; i++)
        dp[i / 3][i % 3] += 2 * cell->mu * df[i / 3][i % 3];
    memset(change, 0, 24 * sizeof(double));
    sn_reference_add_stress(cell->edge, cell->point, dp, change);
    add_hourglass_force(cell, state->rotation, state->assumed, displacement, change);
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

/* Twice the energy of a unit at one conforming node. */
static double hourglass_diagonal(const sn_corotated_cell *cell, const sn_corotated_state *state,
                                 double w[8][8], int b, int component)
{
    double x[8][3] = {{0}}, mode[4][3], turned[4][3];
    for (int a = 0; a < 8; a++)
        x[a][component] = w[a][b];
    hourglass_modes(x, mode);
    turn_back(state->rotation, mode, turned);
    return 2 * hourglass_energy(cell, state->assumed, turned);
}

static double laplacian_diagonal(const sn_corotated_cell *cell, const double g[3])
{
    return pow(cell->edge, 3) * 2 * cell->mu * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

void sn_corotated_diagonal(const sn_corotated_cell *cell, const sn_corotated_state *state,
                           double w[8][8], double diagonal[8][3])
{
    for (int b = 0; b < 8; b++) {
        double g[3] = {0};
        for (int axis = 0; axis < 3; axis++)
            for (int a = 0; a < 8; a++)
                g[axis] += w[a][b] * sn_reference_shape_gradient(cell->edge, cell->point, axis, a);
        for (int i = 0; i < 3; i++)
            diagonal[b][i] = laplacian_diagonal(cell, g) + auxiliary_diagonal(cell, state, g, i) +
                             hourglass_diagonal(cell, state, w, b, i);
    }
}
