#include "multigrid/smooth.h"

#include "multigrid/eigenvalue.h"

#include <math.h>

/* An element's matrix is semidefinite and has 24 rows, so its eigenvalues are at most 24 times its
 * diagonal, and so are those of any sum of elements, masses and springs. */
static const double MOST_OF_JACOBI = 24;

static sn_local reals_of(const sn_multigrid_level *v)
{
    return SN_NODE_REALS * v->tree->n_nodes;
}

void sn_level_apply(sn_multigrid *mg, int level, float *u, float *out)
{
    sn_multigrid_level *v = &mg->level[level];
    sn_operator_apply_f32(&v->op, u, out);
    float stiffness = (float)mg->stiffness;
#pragma omp parallel for schedule(static)
    for (sn_local n = 0; n < v->tree->n_nodes; n++) {
        float mass = (float)(mg->mass * v->mass[n]);
        for (int d = 0; d < SN_NODE_REALS; d++) {
            sn_local i = SN_NODE_REALS * n + d;
            out[i] = v->inverse_diagonal[i] == 0 ? 0 : stiffness * out[i] + mass * u[i];
        }
    }
}

void sn_level_residual(sn_multigrid *mg, int level, float *r)
{
    sn_multigrid_level *v = &mg->level[level];
    sn_level_apply(mg, level, v->x, r);
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < reals_of(v); i++)
        r[i] = v->inverse_diagonal[i] == 0 ? 0 : v->b[i] - r[i];
}

static void smooth_jacobi(sn_multigrid *mg, int level, bool from_zero)
{
    sn_multigrid_level *v = &mg->level[level];
    float damping = (float)mg->settings.damping;
    for (int sweep = 0; sweep < mg->settings.degree; sweep++) {
        const float *r = v->b;
        if (!from_zero || sweep > 0) {
            sn_level_residual(mg, level, v->t);
            r = v->t;
        }
#pragma omp parallel for schedule(static)
        for (sn_local i = 0; i < reals_of(v); i++)
            v->x[i] += damping * v->inverse_diagonal[i] * r[i];
    }
}

/* Flesh that hardly changes its volume has a few large eigenvalues and leaves the others where they
 * were: as much of the spectrum below takes a polynomial of a degree that grows with the root. */
static int degree_of(const sn_multigrid *mg, const sn_multigrid_level *v)
{
    const double usual = 2; /* the largest eigenvalue at Poisson's ratio 0.3, about */
    enum { MOST_TIMES = 4 };
    int degree = mg->settings.degree, wanted = (int)lrint(degree * sqrt(v->largest / usual));
    return wanted < degree ? degree : wanted > MOST_TIMES * degree ? MOST_TIMES * degree : wanted;
}

/* The three-term recurrence for the polynomial that is smallest on [low, high]: p is the last
 * step, t the residual. */
static void smooth_chebyshev(sn_multigrid *mg, int level, bool from_zero)
{
    sn_multigrid_level *v = &mg->level[level];
    double high = v->largest, low = high * (1 - mg->settings.fraction);
    double centre = (high + low) / 2, half = (high - low) / 2, sigma = centre / half;
    double rho = 1 / sigma;
    int degree = degree_of(mg, v);
    if (!from_zero)
        sn_level_residual(mg, level, v->t);
    float first = (float)(1 / centre);
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < reals_of(v); i++) {
        float r = from_zero ? v->b[i] : v->t[i];
        v->p[i] = first * v->inverse_diagonal[i] * r;
        v->x[i] += v->p[i];
    }
    for (int k = 1; k < degree; k++) {
        sn_level_residual(mg, level, v->t);
        double next = 1 / (2 * sigma - rho);
        float keep = (float)(next * rho), add = (float)(2 * next / half);
#pragma omp parallel for schedule(static)
        for (sn_local i = 0; i < reals_of(v); i++) {
            v->p[i] = keep * v->p[i] + add * v->inverse_diagonal[i] * v->t[i];
            v->x[i] += v->p[i];
        }
        rho = next;
    }
}

void sn_smooth(sn_multigrid *mg, int level, bool from_zero)
{
    if (mg->settings.smoother == SN_SMOOTH_JACOBI)
        smooth_jacobi(mg, level, from_zero);
    else
        smooth_chebyshev(mg, level, from_zero);
}

static float *jacobi(sn_multigrid *mg, int level, const float *r)
{
    sn_multigrid_level *v = &mg->level[level];
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < reals_of(v); i++)
        v->t[i] = v->inverse_diagonal[i] * r[i];
    return v->t;
}

void sn_smooth_estimate(sn_multigrid *mg, int level)
{
    sn_multigrid_level *v = &mg->level[level];
    double bound = sn_largest_eigenvalue(mg, level, jacobi, (sn_eigenvalue_room){v->r, v->p, v->x});
    v->largest = bound > 0 ? fmin(bound, MOST_OF_JACOBI) : 1;
}
