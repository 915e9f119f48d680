/* The V-cycle (section 7), and the system's own product. */
#include "multigrid/cycle.h"

#include "multigrid/smooth.h"

#include <math.h>
#include <string.h>

static void clear(const sn_multigrid_level *v, float *u)
{
    memset(u, 0, SN_NODE_REALS * (size_t)v->tree->n_nodes * sizeof *u);
}

/* Zeros where nodes are pinned. */
static void hold(const sn_multigrid_level *v, float *u)
{
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < SN_NODE_REALS * v->tree->n_nodes; i++)
        u[i] = v->inverse_diagonal[i] == 0 ? 0 : u[i];
}

void sn_level_cycle(sn_multigrid *mg, int level)
{
    sn_multigrid_level *v = &mg->level[level];
    if (level + 1 == mg->n_levels) {
        sn_coarsest_solve(&mg->coarsest, v->b, v->x);
        return;
    }
    sn_multigrid_level *coarse = v + 1;
    clear(v, v->x);
    sn_smooth(mg, level, true);
    sn_level_residual(mg, level, v->r);
    sn_restrict_f32(&v->transfer, v->r, coarse->b);
    hold(coarse, coarse->b);
    if (sn_level_repeats(mg, level + 1))
        sn_level_two_cycles(mg, level + 1);
    else
        sn_level_cycle(mg, level + 1);
    sn_prolong_add_f32(&v->transfer, coarse->x, v->x);
    hold(v, v->x);
    sn_smooth(mg, level, false);
}

/* The residual is scaled, so that single precision neither overflows nor vanishes. */
static double scale_of(const sn_octree *tree, const double *r)
{
    double largest = 0;
    for (sn_local i = 0; i < SN_NODE_REALS * tree->n_nodes; i++)
        largest = fmax(largest, fabs(r[i]));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, tree->comm);
    return largest > 0 && isfinite(largest) ? largest : 1;
}

void sn_multigrid_cycle(sn_multigrid *mg, const double *r, double *z)
{
    sn_multigrid_level *finest = &mg->level[0];
    sn_local n = SN_NODE_REALS * finest->tree->n_nodes;
    double scale = scale_of(finest->tree, r);
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < n; i++)
        finest->b[i] = finest->inverse_diagonal[i] == 0 ? 0 : (float)(r[i] / scale);
    sn_level_cycle(mg, 0);
#pragma omp parallel for schedule(static)
    for (sn_local i = 0; i < n; i++)
        z[i] = scale * finest->x[i];
}

void sn_multigrid_apply(sn_multigrid *mg, double *u, double *out)
{
    sn_multigrid_level *v = &mg->level[0];
    if (mg->weight)
        sn_operator_apply_weighted(&v->op, mg->weight, u, out);
    else
        sn_operator_apply_f64(&v->op, u, out);
    sn_spring_set_apply_add_f64(&mg->ties.level[0], u, out);
    sn_spring_set_apply_add_f64(&mg->contacts.level[0], u, out);
#pragma omp parallel for schedule(static)
    for (sn_local n = 0; n < v->tree->n_nodes; n++)
        for (int d = 0; d < SN_NODE_REALS; d++) {
            sn_local i = SN_NODE_REALS * n + d;
            out[i] = v->inverse_diagonal[i] == 0
                         ? 0
                         : mg->stiffness * out[i] + mg->mass * v->mass[n] * u[i];
        }
}
