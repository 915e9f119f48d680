#include "solve/linear.h"

#include "base/log.h"
#include "base/timer.h"

#include <math.h>

/* The vectors of a solve; all are fields of the finest level, borrowed. */
typedef struct {
    sn_system *system;
    const sn_preconditioner *preconditioner;
    const sn_octree *tree;
    double *r, *z, *p, *q;
} solve;

static solve begin(sn_system *system, const sn_preconditioner *preconditioner)
{
    const sn_octree *tree = system->tree;
    return (solve){.system = system,
                   .preconditioner = preconditioner,
                   .tree = tree,
                   .r = sn_field_borrow(&system->spare, tree),
                   .z = sn_field_borrow(&system->spare, tree),
                   .p = sn_field_borrow(&system->spare, tree),
                   .q = sn_field_borrow(&system->spare, tree)};
}

static void end(solve *s)
{
    sn_field_give_back(&s->system->spare, s->r);
    sn_field_give_back(&s->system->spare, s->z);
    sn_field_give_back(&s->system->spare, s->p);
    sn_field_give_back(&s->system->spare, s->q);
}

static void precondition(solve *s, sn_linear_method method)
{
    if (sn_linear_is_preconditioned(method))
        s->preconditioner->apply(s->preconditioner->context, s->r, s->z);
    else
        sn_field_copy_f64(s->tree, s->z, s->r);
}

/* r.z and r.r with one reduction. */
static void residual_dots(const solve *s, double dots[2])
{
    sn_field_pair pairs[2] = {{s->r, s->z}, {s->r, s->r}};
    sn_field_dots(s->tree, 2, pairs, dots);
}

static bool observe(sn_linear_observer *observer, void *context, int iteration, const double *x)
{
    return !observer || observer(context, iteration, x);
}

static void step(solve *s, double alpha, double *x)
{
    sn_field_add_f64(s->tree, x, alpha, s->p, x);
    sn_field_add_f64(s->tree, s->r, -alpha, s->q, s->r);
}

/* Conjugate gradients; MG forgets the last direction and goes along the cycle alone, as far as the
 * error falls. So any definite cycle converges, also one that corrects too far, as it does around
 * thin parts, where coarse levels are too soft. */
static sn_linear_result gradients(solve *s, sn_linear_settings settings, const double *b, double *x,
                                  sn_linear_observer *observer, void *context)
{
    double size = sn_field_norm(s->tree, b), dots[2];
    precondition(s, settings.method);
    sn_field_copy_f64(s->tree, s->p, s->z);
    residual_dots(s, dots);
    double rz = dots[0];
    sn_linear_result result = {.residual = size > 0 ? sqrt(dots[1]) / size : 0,
                               .broke_down = !isfinite(dots[1])};
    while (result.iterations < settings.max && result.residual > settings.tolerance) {
        sn_system_apply_f64(s->system, s->p, s->q);
        double pq = sn_field_dot_f64(s->tree, s->p, s->q);
        if (!(pq > 0) || !(rz > 0) || !isfinite(pq) || !isfinite(rz)) {
            result.broke_down = true;
            break;
        }
        step(s, rz / pq, x);
        precondition(s, settings.method);
        residual_dots(s, dots);
        double beta = settings.method == SN_LINEAR_MG ? 0 : dots[0] / rz;
        sn_field_add_f64(s->tree, s->z, beta, s->p, s->p);
        rz = dots[0];
        result.iterations++;
        result.residual = sqrt(dots[1]) / size;
        if (!observe(observer, context, result.iterations, x))
            break;
    }
    return result;
}

/* Conjugate gradients can do without a preconditioner; MG is nothing else. */
static bool can_go_on_alone(sn_linear_method method)
{
    return sn_linear_is_preconditioned(method) && method != SN_LINEAR_MG;
}

/* After the preconditioner turned out not to be definite. */
static sn_linear_result go_on_alone(solve *s, sn_linear_settings settings, const double *b,
                                    double *x, sn_linear_result so_far)
{
    sn_info("the preconditioner is not definite: conjugate gradients go on without it");
    settings.method = SN_LINEAR_CG;
    sn_system_residual_f64(s->system, b, x, s->r);
    sn_linear_result rest = gradients(s, settings, b, x, NULL, NULL);
    rest.iterations += so_far.iterations;
    rest.preconditioner_broke_down = true;
    return rest;
}

sn_linear_result sn_linear_solve(sn_system *system, const sn_preconditioner *preconditioner,
                                 sn_linear_settings settings, const double *b, double *x,
                                 sn_linear_observer *observer, void *context)
{
    sn_phase_begin("solve/linear");
    solve s = begin(system, preconditioner);
    sn_system_residual_f64(system, b, x, s.r);
    observe(observer, context, 0, x);
    sn_linear_result result = gradients(&s, settings, b, x, observer, context);
    if (result.broke_down && can_go_on_alone(settings.method))
        result = go_on_alone(&s, settings, b, x, result);
    end(&s);
    sn_phase_end("solve/linear");
    return result;
}
