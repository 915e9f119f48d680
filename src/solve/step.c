#include "solve/step.h"

#include "base/array.h"
#include "base/log.h"
#include "base/work.h"

#include <math.h>
#include <string.h>

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

/* How velocity and acceleration follow from the new positions: v = rate (x - from), and likewise
 * a = rate (v - what is from for velocities), so a = rate^2 (x - predicted). */
typedef struct {
    double rate;
    double now, before, sum; /* from = (now x0 + before x1) / sum */
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

static scheme choose_scheme(const sn_stepper *s, double h)
{
    const sn_state *state = s->parts.state;
    bool second_order = has_second_order(s) && state->last_step > 0 && !grows_too_much(s, h);
    double r = second_order ? growth(s, h) : 0; /* 0 is backward Euler: nothing before counts */
    return (scheme){.rate = (1 + 2 * r) / ((1 + r) * h),
                    .now = (1 + r) * (1 + r),
                    .before = -(r * r),
                    .sum = 1 + 2 * r};
}

/* Of the state, which stays as it is until the step is accepted. */
static sn_prediction predict(const sn_state *s, const scheme *c)
{
    return (sn_prediction){.now = c->now,
                           .before = c->before,
                           .sum = c->sum,
                           .step = 1 / c->rate,
                           .x = s->x,
                           .x_before = s->x_before,
                           .v = s->v,
                           .v_before = s->v_before};
}

/* Once they are those of before, velocities have the room for `from`. */
static void accept(sn_stepper *s, const scheme *c, const double *x, double h)
{
    const sn_octree *tree = tree_of(s);
    sn_state *state = s->parts.state;
    double *from = state->v;
    sn_field_copy_f64(tree, state->v_before, state->v);
    sn_field_combine(tree, c->now, state->x, c->before, state->x_before, c->sum, from);
    sn_field_copy_f64(tree, state->x_before, state->x);
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

static void set_gravity(const sn_stepper *s, sn_potential_terms *terms)
{
    memcpy(terms->gravity, s->parts.gravity, sizeof terms->gravity);
}

static sn_step_result try_dynamic(sn_stepper *s, double *x, double time)
{
    double h = time - s->parts.state->time;
    scheme c = choose_scheme(s, h);
    sn_potential_terms terms = {.inertia = c.rate * c.rate,
                                .predicted = predict(s->parts.state, &c),
                                .rate = s->parts.damped ? c.rate : 0,
                                .damping = s->parts.damping,
                                .now = c.now / c.sum,
                                .before = c.before / c.sum,
                                .x_now = s->parts.state->x,
                                .x_before = s->parts.state->x_before,
                                .time = time};
    set_gravity(s, &terms);
    sn_step_result result = minimise_and_check_way(s, &terms, x);
    if (result.end != SN_STEP_FAILED)
        accept(s, &c, x, h);
    return result;
}

static sn_step_result try_quasistatic(sn_stepper *s, double *x, double time)
{
    sn_potential_terms terms = {.time = time};
    set_gravity(s, &terms);
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

/* ---- The way to a time ---- */

static void add_counts(sn_step_result *sum, const sn_step_result *other)
{
    sum->iterations += other->iterations;
    sum->inner += other->inner;
    sum->breakdowns += other->breakdowns;
}

/* The next step of the way becomes two of half the length. */
static void cut(sn_step_way *way, double now)
{
    sn_way_end *next = &way->end[way->n - 1];
    next->halvings++;
    way->end[way->n++] = (sn_way_end){now + (next->time - now) / 2, next->halvings};
}

static void arrive(sn_step_way *way, const sn_step_result *step)
{
    sn_step_result *all = &way->so_far;
    add_counts(all, step);
    all->residual = way->steps == 0 ? step->residual : sn_worse(step->residual, all->residual);
    all->friction_excess = sn_worse(step->friction_excess, all->friction_excess);
    way->steps++;
    way->n--;
}

/* Is this step to be cut before it is tried, so that BDF2 stays of second order? */
static bool is_too_long(const sn_stepper *s, double h, int halvings)
{
    if (!has_second_order(s) || halvings == SN_MOST_STEP_HALVINGS)
        return false;
    bool starts = s->parts.state->last_step == 0;
    return starts ? halvings < START_HALVINGS : grows_too_much(s, h);
}

/* The step that ended the way, for good or not, with what came before. */
static sn_step_result conclude(const sn_step_way *way, sn_step_result last)
{
    if (last.end == SN_STEP_FAILED && last.status != SN_STOPPED)
        add_counts(&last, &way->so_far);
    if (last.end != SN_STEP_FAILED) {
        last.iterations = way->so_far.iterations;
        last.inner = way->so_far.inner;
        last.breakdowns = way->so_far.breakdowns;
    }
    if (way->steps > 0) {
        last.residual = sn_worse(last.residual, way->so_far.residual);
        last.friction_excess = sn_worse(last.friction_excess, way->so_far.friction_excess);
    }
    return last;
}

/* Tries the next step; false if the way ends there. */
static bool try_next(sn_stepper *s, sn_step_way *way, sn_step_result *step)
{
    const sn_state *state = s->parts.state;
    sn_way_end next = way->end[way->n - 1];
    double h = next.time - state->time;
    if (h > 0 && is_too_long(s, h, next.halvings)) {
        cut(way, state->time);
        return true;
    }
    *step = try_step(s, next.time);
    if (step->end != SN_STEP_FAILED) {
        arrive(way, step);
        return true;
    }
    if (step->status != SN_OK || next.halvings == SN_MOST_STEP_HALVINGS || h <= 0)
        return false;
    sn_info("a step of %g s failed at %g s: trying two of half the length", h, state->time);
    add_counts(&way->so_far, step);
    cut(way, state->time);
    return true;
}

sn_step_way sn_step_way_to(double time)
{
    return (sn_step_way){.n = 1, .end = {{.time = time}}};
}

sn_step_result sn_stepper_go(sn_stepper *s, sn_step_way *way)
{
    sn_step_result step = {.end = SN_STEP_CONVERGED};
    while (way->n > 0 && try_next(s, way, &step))
        continue;
    return conclude(way, step);
}

sn_step_result sn_stepper_advance(sn_stepper *stepper, double time)
{
    sn_step_way way = sn_step_way_to(time);
    return sn_stepper_go(stepper, &way);
}
