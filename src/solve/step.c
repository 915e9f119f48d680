#include "solve/step.h"

#include "base/array.h"
#include "base/log.h"

#include <math.h>

/* Steps whose lengths differ by less are equal. */
static const double STEP_ROUNDING = 1e-9;

static sn_octree *tree_of(const sn_stepper *s)
{
    return s->parts.system->tree;
}

sn_stepper sn_stepper_create(const sn_stepper_parts *parts)
{
    sn_stepper s = {.parts = *parts, .external = sn_field_new_f64(parts->system->tree)};
    sn_field_mass_vector(tree_of(&s), parts->system->mass, parts->gravity, s.external);
    return s;
}

void sn_stepper_free(sn_stepper *s)
{
    sn_free(s->external);
    *s = (sn_stepper){0};
}

/* How velocity and acceleration follow from the new positions: v = rate (x - from). */
typedef struct {
    double inertia, rate;
    double *predicted, *from;
} scheme;

static bool can_use_bdf2(const sn_stepper *s, double length)
{
    double last = s->parts.state->last_step;
    return s->parts.integrator == SN_INTEGRATOR_BDF2 && last > 0 &&
           fabs(last - length) <= STEP_ROUNDING * length;
}

static void predict(const sn_octree *tree, const sn_state *s, bool second_order, double h,
                    scheme *c)
{
    if (!second_order) {
        sn_field_copy_f64(tree, c->from, s->x);
        sn_field_add_f64(tree, s->x, h, s->v, c->predicted);
        return;
    }
    sn_field_combine(tree, 4, s->x, -1, s->x_before, 3, c->from);
    sn_field_combine(tree, 4, s->v, -1, s->v_before, 1, c->predicted);
    sn_field_add_f64(tree, c->from, 2 * h / 9, c->predicted, c->predicted);
}

static scheme choose_scheme(const sn_stepper *s, double h)
{
    const sn_octree *tree = tree_of(s);
    bool second_order = can_use_bdf2(s, h);
    scheme c = {.inertia = second_order ? 9 / (4 * h * h) : 1 / (h * h),
                .rate = second_order ? 3 / (2 * h) : 1 / h,
                .predicted = sn_field_new_f64(tree),
                .from = sn_field_new_f64(tree)};
    predict(tree, s->parts.state, second_order, h, &c);
    return c;
}

static void free_scheme(scheme *c)
{
    sn_free(c->predicted);
    sn_free(c->from);
}

static void accept(sn_stepper *s, const scheme *c, const double *x, double h)
{
    const sn_octree *tree = tree_of(s);
    sn_state *state = s->parts.state;
    sn_field_copy_f64(tree, state->x_before, state->x);
    sn_field_copy_f64(tree, state->v_before, state->v);
    sn_field_copy_f64(tree, state->x, x);
    sn_field_difference(tree, c->rate, x, c->from, state->v);
    state->last_step = h;
}

/* A step that passes through something is too long; the very first one has no length. */
static void require_no_passing(sn_stepper *s, double *x, double time, sn_step_result *result)
{
    sn_state *state = s->parts.state;
    bool passed = false;
    if (result->end == SN_STEP_FAILED || time <= state->time)
        return;
    result->status = sn_sources_check_way(s->parts.sources, tree_of(s), state->x, x, &passed);
    if (passed)
        sn_info("flesh passes through flesh in a step of %g s at %g s", time - state->time,
                state->time);
    if (passed || result->status != SN_OK)
        result->end = SN_STEP_FAILED;
}

static sn_step_result minimise_and_check_way(sn_stepper *s, const sn_potential_terms *terms,
                                             double *x)
{
    sn_potential potential = sn_potential_create(s->parts.system, s->parts.sources, terms);
    sn_step_result result = s->parts.method.minimise(s->parts.method.context, &potential, x);
    sn_potential_free(&potential);
    require_no_passing(s, x, terms->time, &result);
    return result;
}

static sn_step_result try_dynamic(sn_stepper *s, double *x, double time)
{
    double h = time - s->parts.state->time;
    scheme c = choose_scheme(s, h);
    sn_potential_terms terms = {.inertia = c.inertia,
                                .predicted = c.predicted,
                                .rate = s->parts.damped ? c.rate : 0,
                                .damping = s->parts.damping,
                                .damped_from = c.from,
                                .external = s->external,
                                .time = time};
    sn_step_result result = minimise_and_check_way(s, &terms, x);
    if (result.end != SN_STEP_FAILED)
        accept(s, &c, x, h);
    free_scheme(&c);
    return result;
}

static sn_step_result try_quasistatic(sn_stepper *s, double *x, double time)
{
    sn_potential_terms terms = {.external = s->external, .time = time};
    sn_step_result result = minimise_and_check_way(s, &terms, x);
    if (result.end != SN_STEP_FAILED)
        sn_field_copy_f64(tree_of(s), s->parts.state->x, x);
    return result;
}

static sn_step_result solve(sn_stepper *s, double *x, double time)
{
    sn_step_result result = {.end = SN_STEP_FAILED, .residual = INFINITY};
    result.status = sn_sources_begin(s->parts.sources, time, x);
    if (result.status != SN_OK)
        return result;
    return s->parts.mode == SN_MODE_QUASISTATIC ? try_quasistatic(s, x, time)
                                                : try_dynamic(s, x, time);
}

static void commit(sn_stepper *s, double time, sn_step_result *result)
{
    sn_state *state = s->parts.state;
    state->time = time;
    result->status = sn_sources_commit(s->parts.sources, tree_of(s), time, state->x);
    if (result->status != SN_OK)
        result->end = SN_STEP_FAILED;
}

static sn_step_result try_step(sn_stepper *s, double time)
{
    double *x = sn_field_new_f64(tree_of(s));
    sn_field_copy_f64(tree_of(s), x, s->parts.state->x);
    sn_step_result result = solve(s, x, time);
    if (result.end != SN_STEP_FAILED)
        commit(s, time, &result);
    else
        sn_sources_reset(s->parts.sources, s->parts.state->time);
    sn_free(x);
    return result;
}

static sn_step_result advance(sn_stepper *s, double time, int halvings)
{
    const sn_state *state = s->parts.state;
    sn_step_result first = try_step(s, time);
    if (first.end != SN_STEP_FAILED || first.status != SN_OK || halvings == SN_MOST_STEP_HALVINGS ||
        time <= state->time)
        return first;
    sn_info("a step of %g s failed at %g s: trying two of half the length", time - state->time,
            state->time);
    sn_step_result half = advance(s, state->time + (time - state->time) / 2, halvings + 1);
    sn_step_result rest = half;
    if (half.end != SN_STEP_FAILED) {
        rest = advance(s, time, halvings + 1);
        rest.iterations += half.iterations;
        rest.inner += half.inner;
        rest.breakdowns += half.breakdowns;
        rest.residual = fmax(rest.residual, half.residual);
        rest.friction_excess = fmax(rest.friction_excess, half.friction_excess);
    }
    rest.iterations += first.iterations;
    rest.inner += first.inner;
    rest.breakdowns += first.breakdowns;
    return rest;
}

sn_step_result sn_stepper_advance(sn_stepper *stepper, double time)
{
    return advance(stepper, time, 0);
}
