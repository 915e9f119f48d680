#include "multigrid/cycle.h"
#include "multigrid/eigenvalue.h"
#include "multigrid/smooth.h"

#include <math.h>
#include <string.h>

/* The interval's low end. From 0.2 to 0.8 the cube took 11 or 12 iterations. */
static const double LOW = 0.4;

static sn_local reals_of(const sn_multigrid_level *v)
{
    return SN_NODE_REALS * v->tree->n_nodes;
}

static void copy(const sn_multigrid_level *v, float *to, const float *from)
{
    if (v->tree->n_nodes)
        memcpy(to, from, (size_t)reals_of(v) * sizeof *to);
}

bool sn_level_repeats(const sn_multigrid *mg, int level)
{
    int from = mg->settings.repeat_from;
    return from > 0 && level >= from && level + 1 < mg->n_levels;
}

void sn_level_two_cycles(sn_multigrid *mg, int level)
{
    sn_multigrid_level *v = &mg->level[level];
    double high = v->largest_of_cycle, centre = (high + LOW) / 2, half = (high - LOW) / 2;
    double sigma = centre / half, rho = 1 / sigma, next = 1 / (2 * sigma - rho);
    float first = (float)(1 / centre), keep = (float)(1 + next * rho),
          add = (float)(2 * next / half);
    copy(v, v->saved_b, v->b);
    sn_level_cycle(mg, level);
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < reals_of(v); i++)
        v->saved_x[i] = v->x[i] *= first;
    sn_level_residual(mg, level, v->t);
    copy(v, v->b, v->t);
    sn_level_cycle(mg, level);
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < reals_of(v); i++)
        v->x[i] = keep * v->saved_x[i] + add * v->x[i];
    copy(v, v->b, v->saved_b);
}

static float *cycle(sn_multigrid *mg, int level, const float *r)
{
    sn_multigrid_level *v = &mg->level[level];
    copy(v, v->b, r);
    sn_level_cycle(mg, level);
    return v->x;
}

void sn_repeat_estimate(sn_multigrid *mg, int level)
{
    sn_multigrid_level *v = &mg->level[level];
    double bound = sn_largest_eigenvalue(mg, level, cycle,
                                         (sn_eigenvalue_room){v->saved_b, v->saved_x, v->saved_r});
    /* An exact solve has 1: less was only not found yet. */
    v->largest_of_cycle = fmax(bound, 1);
}
