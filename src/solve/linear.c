#include "solve/linear.h"

#include "base/log.h"
#include "base/timer.h"

#include <math.h>

/* The vectors of a solve; all are fields of the finest level, borrowed. What the preconditioner
 * gives, z, is forgotten once the direction p has it: A p has the same memory. */
typedef struct {
    sn_system *system;
    const sn_preconditioner *preconditioner;
    const sn_octree *tree;
    double *r, *p;
    double *q; /* z, and A p */
} solve;

static solve begin(sn_system *system, const sn_preconditioner *preconditioner)
{
    const sn_octree *tree = system->tree;
    return (solve){.system = system,
                   .preconditioner = preconditioner,
                   .tree = tree,
                   .r = sn_field_borrow(&system->spare, tree),
                   .p = sn_field_borrow(&system->spare, tree),
                   .q = sn_field_borrow(&system->spare, tree)};
}

static void end(solve *s)
{
    sn_field_give_back(&s->system->spare, s->r);
    sn_field_give_back(&s->system->spare, s->p);
    sn_field_give_back(&s->system->spare, s->q);
}

static void precondition(solve *s, sn_linear_method method)
{
    if (sn_linear_is_preconditioned(method))
        s->preconditioner->apply(s->preconditioner->context, s->r, s->q);
    else
        sn_field_copy_f64(s->tree, s->q, s->r);
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

/* What is left of b; a start of zeros leaves all of it, without a product. */
static void start(solve *s, const double *b, double *x)
{
    if (sn_field_largest(s->tree, x) != 0) {
        sn_system_residual_f64(s->system, b, x, s->r);
        return;
    }
    sn_field_copy_f64(s->tree, s->r, b);
    sn_field_mask_f64(s->tree, s->system->pinned, s->r);
}

/* The next direction, from the last one and its r.z, which becomes that of this one. MG forgets the
 * last direction and goes along the cycle alone. */
static void turn(solve *s, sn_linear_method method, bool is_first, double *rz)
{
    precondition(s, method);
    double next = sn_field_dot_f64(s->tree, s->r, s->q);
    if (is_first || method == SN_LINEAR_MG)
        sn_field_copy_f64(s->tree, s->p, s->q);
    else
        sn_field_add_f64(s->tree, s->q, next / *rz, s->p, s->p);
    *rz = next;
}

/* Conjugate gradients; or MG, which goes as far as the error falls. So any definite cycle
 * converges, also one that corrects too far, as it does around thin parts, where coarse levels are
 * too soft. */
static sn_linear_result gradients(solve *s, sn_linear_settings settings, const double *b, double *x,
                                  sn_linear_observer *observer, void *context)
{
    double size = sn_field_norm(s->tree, b), left = sn_field_norm(s->tree, s->r), rz = 0;
    sn_linear_result result = {.residual = size > 0 ? left / size : 0,
                               .broke_down = !isfinite(left)};
    while (result.iterations < settings.max && result.residual > settings.tolerance) {
        turn(s, settings.method, result.iterations == 0, &rz);
        sn_system_apply_f64(s->system, s->p, s->q);
        double pq = sn_field_dot_f64(s->tree, s->p, s->q);
        if (!(pq > 0) || !(rz > 0) || !isfinite(pq) || !isfinite(rz)) {
            result.broke_down = true;
            break;
        }
        step(s, rz / pq, x);
        result.iterations++;
        result.residual = sn_field_norm(s->tree, s->r) / size;
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
    start(&s, b, x);
    observe(observer, context, 0, x);
    sn_linear_result result = gradients(&s, settings, b, x, observer, context);
    if (result.broke_down && can_go_on_alone(settings.method))
        result = go_on_alone(&s, settings, b, x, result);
    end(&s);
    sn_phase_end("solve/linear");
    return result;
}
