#include "solve/linear.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/log.h"
#include "base/threads.h"
#include "base/timer.h"

#include <math.h>
#include <string.h>

/* The vectors of a solve; all are fields of the finest level. */
typedef struct {
    sn_multigrid *mg;
    const sn_octree *tree;
    sn_local n; /* owned reals */
    double *r, *z, *p, *q;
} solve;

static solve begin(sn_multigrid *mg)
{
    const sn_octree *tree = mg->level[0].tree;
    return (solve){.mg = mg,
                   .tree = tree,
                   .n = SN_NODE_REALS * tree->n_nodes,
                   .r = sn_field_new_f64(tree),
                   .z = sn_field_new_f64(tree),
                   .p = sn_field_new_f64(tree),
                   .q = sn_field_new_f64(tree)};
}

static void end(solve *s)
{
    sn_free(s->r);
    sn_free(s->z);
    sn_free(s->p);
    sn_free(s->q);
}

/* a.b and c.d with one reduction. */
static void two_dots(const solve *s, const double *a, const double *b, const double *c,
                     const double *d, double dots[2])
{
    sn_sum sums[2] = {0};
    sn_sum_add_dot_threaded(&sums[0], a, b, (size_t)s->n);
    sn_sum_add_dot_threaded(&sums[1], c, d, (size_t)s->n);
    sn_sum_allreduce(s->tree->comm, sums, 2);
    dots[0] = sn_sum_value(&sums[0]);
    dots[1] = sn_sum_value(&sums[1]);
}

static double norm(const solve *s, const double *a)
{
    return sqrt(sn_global_dot(s->tree->comm, a, a, (size_t)s->n));
}

static void residual(solve *s, const double *b, double *x)
{
    sn_multigrid_apply(s->mg, x, s->r);
    const float *free_node = s->mg->level[0].inverse_diagonal;
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)s->n))
    for (sn_local i = 0; i < s->n; i++)
        s->r[i] = free_node[i] == 0 ? 0 : b[i] - s->r[i];
}

static void precondition(solve *s, sn_linear_method method)
{
    if (method == SN_LINEAR_CG)
        memcpy(s->z, s->r, (size_t)s->n * sizeof *s->z);
    else
        sn_multigrid_cycle(s->mg, s->r, s->z);
}

static void observe(sn_linear_observer *observer, void *context, int iteration, const double *x)
{
    if (observer)
        observer(context, iteration, x);
}

static void step(solve *s, double alpha, double *x)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)s->n))
    for (sn_local i = 0; i < s->n; i++) {
        x[i] += alpha * s->p[i];
        s->r[i] -= alpha * s->q[i];
    }
}

static void turn(solve *s, double beta)
{
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)s->n))
    for (sn_local i = 0; i < s->n; i++)
        s->p[i] = s->z[i] + beta * s->p[i];
}

/* Conjugate gradients; MG forgets the last direction and goes along the cycle alone, as far as the
 * error falls. So any definite cycle converges, also one that corrects too far, as it does around
 * thin parts, where coarse levels are too soft. */
static sn_linear_result gradients(solve *s, sn_linear_settings settings, const double *b, double *x,
                                  sn_linear_observer *observer, void *context)
{
    double size = norm(s, b), dots[2];
    precondition(s, settings.method);
    memcpy(s->p, s->z, (size_t)s->n * sizeof *s->p);
    two_dots(s, s->r, s->z, s->r, s->r, dots);
    double rz = dots[0];
    sn_linear_result result = {.residual = size > 0 ? sqrt(dots[1]) / size : 0,
                               .broke_down = !isfinite(dots[1])};
    while (result.iterations < settings.max && result.residual > settings.tolerance) {
        sn_multigrid_apply(s->mg, s->p, s->q);
        double pq = sn_global_dot(s->tree->comm, s->p, s->q, (size_t)s->n);
        if (!(pq > 0) || !(rz > 0) || !isfinite(pq) || !isfinite(rz)) {
            result.broke_down = true;
            break;
        }
        step(s, rz / pq, x);
        precondition(s, settings.method);
        two_dots(s, s->r, s->z, s->r, s->r, dots);
        turn(s, settings.method == SN_LINEAR_MG ? 0 : dots[0] / rz);
        rz = dots[0];
        result.iterations++;
        result.residual = sqrt(dots[1]) / size;
        observe(observer, context, result.iterations, x);
    }
    return result;
}

/* After the cycle turned out not to be definite. */
static sn_linear_result go_on_without_cycle(solve *s, sn_linear_settings settings, const double *b,
                                            double *x, sn_linear_result so_far)
{
    sn_info("the cycle is not definite: conjugate gradients go on without it");
    settings.method = SN_LINEAR_CG;
    residual(s, b, x);
    sn_linear_result rest = gradients(s, settings, b, x, NULL, NULL);
    rest.iterations += so_far.iterations;
    rest.cycle_broke_down = true;
    return rest;
}

sn_linear_result sn_linear_solve(sn_multigrid *mg, sn_linear_settings settings, const double *b,
                                 double *x, sn_linear_observer *observer, void *context)
{
    sn_phase_begin("solve/linear");
    solve s = begin(mg);
    residual(&s, b, x);
    observe(observer, context, 0, x);
    sn_linear_result result = gradients(&s, settings, b, x, observer, context);
    if (result.broke_down && settings.method == SN_LINEAR_MGPCG)
        result = go_on_without_cycle(&s, settings, b, x, result);
    end(&s);
    sn_phase_end("solve/linear");
    return result;
}
