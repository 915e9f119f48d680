#include "solve/step.h"

#include "base/array.h"
#include "base/log.h"
#include "base/work.h"

#include <math.h>

/* Steps whose lengths differ by less are equal. */
static const double STEP_ROUNDING = 1e-9;

/* BDF2 is stable while each step is less than 1 + sqrt(2) times the one before. Lengths are halves
 * of halves, so they double. */
static const double MOST_GROWTH = 2;

/* The first step has no state before: it is cut so often, and only its first part is backward
 * Euler. That part then loses a sixteenth of what the whole step would. */
enum { START_HALVINGS = 2 };

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

/* How velocity and acceleration follow from the new positions: v = rate (x - from), and likewise
 * a = rate (v - what is from for velocities), so a = rate^2 (x - predicted). */
typedef struct {
    double rate;
    double now, before, sum; /* from = (now x0 + before x1) / sum */
    double *predicted;
} scheme;

/* How many times the last step's length one of length h has; 1 for BDF2's usual formulas. */
static double growth(const sn_stepper *s, double h)
{
    double ratio = h / s->parts.state->last_step;
    return fabs(ratio - 1) <= STEP_ROUNDING ? 1 : ratio;
}

static bool grows_too_much(const sn_stepper *s, double h)
{
    return growth(s, h) > MOST_GROWTH * (1 + STEP_ROUNDING);
}

static bool has_second_order(const sn_stepper *s)
{
    return s->parts.mode == SN_MODE_DYNAMIC && s->parts.integrator == SN_INTEGRATOR_BDF2;
}

static void find_from(const sn_octree *tree, const sn_state *s, const scheme *c, double *from)
{
    sn_field_combine(tree, c->now, s->x, c->before, s->x_before, c->sum, from);
}

static void predict(const sn_octree *tree, const sn_state *s, scheme *c)
{
    double *from = sn_field_new_f64(tree);
    find_from(tree, s, c, from);
    sn_field_combine(tree, c->now, s->v, c->before, s->v_before, c->sum, c->predicted);
    sn_field_add_f64(tree, from, 1 / c->rate, c->predicted, c->predicted);
    sn_free(from);
}

static scheme choose_scheme(const sn_stepper *s, double h)
{
    const sn_octree *tree = tree_of(s);
    const sn_state *state = s->parts.state;
    bool second_order = has_second_order(s) && state->last_step > 0 && !grows_too_much(s, h);
    double r = second_order ? growth(s, h) : 0; /* 0 is backward Euler: nothing before counts */
    scheme c = {.rate = (1 + 2 * r) / ((1 + r) * h),
                .now = (1 + r) * (1 + r),
                .before = -(r * r),
                .sum = 1 + 2 * r,
                .predicted = sn_field_new_f64(tree)};
    predict(tree, state, &c);
    return c;
}

static void free_scheme(scheme *c)
{
    sn_free(c->predicted);
}

/* The predicted positions are not needed any more: their field has `from`. */
static void accept(sn_stepper *s, scheme *c, const double *x, double h)
{
    const sn_octree *tree = tree_of(s);
    sn_state *state = s->parts.state;
    double *from = c->predicted;
    find_from(tree, state, c, from);
    sn_field_copy_f64(tree, state->x_before, state->x);
    sn_field_copy_f64(tree, state->v_before, state->v);
    sn_field_copy_f64(tree, state->x, x);
    sn_field_difference(tree, c->rate, x, from, state->v);
    state->last_step = h;
}

/* A step that passes through something is too long; the very first one has no length. */
static void require_no_passing(sn_stepper *s, double *x, double time, sn_step_result *result)
{
    sn_state *state = s->parts.state;
    bool passed = false;
    if (result->end == SN_STEP_FAILED || time <= state->time)
        return;
    sn_work_begin(SN_WORK_CONTACT);
    result->status = sn_sources_check_way(s->parts.sources, tree_of(s), state->x, x, &passed);
    sn_work_end();
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
    sn_potential_terms terms = {.inertia = c.rate * c.rate,
                                .predicted = c.predicted,
                                .rate = s->parts.damped ? c.rate : 0,
                                .damping = s->parts.damping,
                                .now = c.now / c.sum,
                                .before = c.before / c.sum,
                                .x_now = s->parts.state->x,
                                .x_before = s->parts.state->x_before,
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
    sn_work_begin(SN_WORK_STARTING);
    result.status = sn_sources_begin(s->parts.sources, time, x);
    sn_work_end();
    if (result.status != SN_OK)
        return result;
    return s->parts.mode == SN_MODE_QUASISTATIC ? try_quasistatic(s, x, time)
                                                : try_dynamic(s, x, time);
}

static void commit(sn_stepper *s, double time, sn_step_result *result)
{
    sn_state *state = s->parts.state;
    state->time = time;
    sn_work_begin(SN_WORK_CONTACT);
    result->status = sn_sources_commit(s->parts.sources, tree_of(s), time, state->x);
    sn_work_end();
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

static void add_counts(sn_step_result *sum, const sn_step_result *other)
{
    sum->iterations += other->iterations;
    sum->inner += other->inner;
    sum->breakdowns += other->breakdowns;
}

static sn_step_result advance(sn_stepper *s, double time, int halvings);

static sn_step_result advance_by_halves(sn_stepper *s, double time, int halvings)
{
    const sn_state *state = s->parts.state;
    sn_step_result half = advance(s, state->time + (time - state->time) / 2, halvings + 1);
    if (half.end == SN_STEP_FAILED)
        return half;
    sn_step_result rest = advance(s, time, halvings + 1);
    add_counts(&rest, &half);
    rest.residual = sn_worse(rest.residual, half.residual);
    rest.friction_excess = sn_worse(rest.friction_excess, half.friction_excess);
    return rest;
}

/* Is this step to be cut before it is tried, so that BDF2 stays of second order? */
static bool is_too_long(const sn_stepper *s, double h, int halvings)
{
    if (!has_second_order(s) || halvings == SN_MOST_STEP_HALVINGS)
        return false;
    bool starts = s->parts.state->last_step == 0;
    return starts ? halvings < START_HALVINGS : grows_too_much(s, h);
}

static sn_step_result advance(sn_stepper *s, double time, int halvings)
{
    const sn_state *state = s->parts.state;
    double h = time - state->time;
    if (h > 0 && is_too_long(s, h, halvings))
        return advance_by_halves(s, time, halvings);
    sn_step_result first = try_step(s, time);
    bool is_last = halvings == SN_MOST_STEP_HALVINGS || h <= 0;
    if (first.end != SN_STEP_FAILED || first.status != SN_OK || is_last)
        return first;
    sn_info("a step of %g s failed at %g s: trying two of half the length", h, state->time);
    sn_step_result halves = advance_by_halves(s, time, halvings);
    add_counts(&halves, &first);
    return halves;
}

sn_step_result sn_stepper_advance(sn_stepper *stepper, double time)
{
    return advance(stepper, time, 0);
}
