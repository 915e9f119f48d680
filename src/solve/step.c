#include "solve/step.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/log.h"

#include <math.h>
#include <string.h>

/* Steps whose lengths differ by less are equal. */
static const double STEP_ROUNDING = 1e-9;

static sn_local reals_of(const sn_stepper *s)
{
    return SN_NODE_REALS * s->mg->level[0].tree->n_nodes;
}

static void copy(const sn_stepper *s, double *to, const double *from)
{
    if (reals_of(s))
        memcpy(to, from, (size_t)reals_of(s) * sizeof *to);
}

sn_stepper sn_stepper_create(sn_multigrid *mg, const sn_solver_settings *settings,
                             const double *damping, const double gravity[3],
                             sn_pin_mover *move_pins, void *pins, const double *x)
{
    const sn_octree *tree = mg->level[0].tree;
    sn_stepper s = {.mg = mg,
                    .settings = *settings,
                    .damping = damping,
                    .gravity = gravity,
                    .move_pins = move_pins,
                    .pins = pins,
                    .x = sn_field_new_f64(tree),
                    .v = sn_field_new_f64(tree),
                    .x_before = sn_field_new_f64(tree),
                    .v_before = sn_field_new_f64(tree),
                    .external = sn_field_new_f64(tree)};
    copy(&s, s.x, x);
    for (sn_local i = 0; i < reals_of(&s); i++)
        s.external[i] = mg->level[0].mass[i / SN_NODE_REALS] * gravity[i % SN_NODE_REALS];
    return s;
}

void sn_stepper_free(sn_stepper *s)
{
    sn_free(s->x);
    sn_free(s->v);
    sn_free(s->x_before);
    sn_free(s->v_before);
    sn_free(s->external);
    *s = (sn_stepper){0};
}

void sn_stepper_set_ties(sn_stepper *s, sn_tie_mover *move_ties, void *ties)
{
    s->move_ties = move_ties;
    s->ties = ties;
}

void sn_stepper_set_contacts(sn_stepper *s, const sn_contact_source *contacts)
{
    s->contacts = contacts;
}

double sn_stepper_kinetic_energy(const sn_stepper *s)
{
    sn_sum sum = {0};
    const double *mass = s->mg->level[0].mass;
    for (sn_local i = 0; i < reals_of(s); i++)
        sn_sum_add(&sum, 0.5 * mass[i / SN_NODE_REALS] * s->v[i] * s->v[i]);
    sn_sum_allreduce(s->mg->level[0].tree->comm, &sum, 1);
    return sn_sum_value(&sum);
}

/* How velocity and acceleration follow from the new positions: v = rate (x - from). */
typedef struct {
    double inertia, rate;
    double *predicted, *from;
} scheme;

static bool can_use_bdf2(const sn_stepper *s, double length)
{
    return s->settings.integrator == SN_INTEGRATOR_BDF2 && s->last_step > 0 &&
           fabs(s->last_step - length) <= STEP_ROUNDING * length;
}

static scheme choose_scheme(const sn_stepper *s, double h)
{
    const sn_octree *tree = s->mg->level[0].tree;
    scheme c = {.predicted = sn_field_new_f64(tree), .from = sn_field_new_f64(tree)};
    bool second_order = can_use_bdf2(s, h);
    c.inertia = second_order ? 9 / (4 * h * h) : 1 / (h * h);
    c.rate = second_order ? 3 / (2 * h) : 1 / h;
    for (sn_local i = 0; i < reals_of(s); i++) {
        c.from[i] = second_order ? (4 * s->x[i] - s->x_before[i]) / 3 : s->x[i];
        c.predicted[i] =
            c.from[i] + (second_order ? 2 * h / 9 * (4 * s->v[i] - s->v_before[i]) : h * s->v[i]);
    }
    return c;
}

static void free_scheme(scheme *c)
{
    sn_free(c->predicted);
    sn_free(c->from);
}

static void accept(sn_stepper *s, const scheme *c, double *x, double h)
{
    copy(s, s->x_before, s->x);
    copy(s, s->v_before, s->v);
    copy(s, s->x, x);
    for (sn_local i = 0; i < reals_of(s); i++)
        s->v[i] = c->rate * (x[i] - c->from[i]);
    s->last_step = h;
}

/* A step that passes through something is too long; the very first one has no length. */
static void require_no_passing(sn_stepper *s, double *x, double time, sn_newton_result *result)
{
    bool passed = false;
    if (result->end == SN_NEWTON_FAILED || !s->contacts || !s->contacts->follow || time <= s->time)
        return;
    result->status = s->contacts->follow(s->contacts->context, s->x, x, &passed);
    if (passed)
        sn_info("flesh passes through flesh in a step of %g s at %g s", time - s->time, s->time);
    if (passed || result->status != SN_OK)
        result->end = SN_NEWTON_FAILED;
}

static sn_newton_result try_dynamic(sn_stepper *s, double *x, double time)
{
    double h = time - s->time;
    scheme c = choose_scheme(s, h);
    sn_potential potential = {.inertia = c.inertia,
                              .predicted = c.predicted,
                              .rate = s->damping ? c.rate : 0,
                              .damping = s->damping,
                              .damped_from = c.from,
                              .external = s->external,
                              .contacts = s->contacts,
                              .time = time};
    sn_newton_result result =
        sn_newton_solve(s->mg, s->settings.newton, s->settings.linear, &potential, x);
    require_no_passing(s, x, time, &result);
    if (result.end != SN_NEWTON_FAILED)
        accept(s, &c, x, h);
    free_scheme(&c);
    return result;
}

static sn_newton_result try_quasistatic(sn_stepper *s, double *x, double time)
{
    sn_potential potential = {.external = s->external, .contacts = s->contacts, .time = time};
    sn_newton_result result =
        sn_newton_solve(s->mg, s->settings.newton, s->settings.linear, &potential, x);
    require_no_passing(s, x, time, &result);
    if (result.end != SN_NEWTON_FAILED)
        copy(s, s->x, x);
    return result;
}

static void move_ties(sn_stepper *s, double time)
{
    if (s->move_ties)
        s->move_ties(s->ties, time);
}

static sn_newton_result try_step(sn_stepper *s, double time)
{
    double *x = sn_field_new_f64(s->mg->level[0].tree);
    copy(s, x, s->x);
    s->move_pins(s->pins, time, x);
    move_ties(s, time);
    if (s->contacts && s->contacts->reset)
        s->contacts->reset(s->contacts->context);
    sn_newton_result result = s->settings.mode == SN_MODE_QUASISTATIC ? try_quasistatic(s, x, time)
                                                                      : try_dynamic(s, x, time);
    if (result.end != SN_NEWTON_FAILED) {
        s->time = time;
        if (s->contacts && s->contacts->settle)
            result.status = s->contacts->settle(s->contacts->context, time, s->x);
        if (result.status != SN_OK)
            result.end = SN_NEWTON_FAILED;
    } else {
        move_ties(s, s->time); /* the state is that of the last good step */
    }
    sn_free(x);
    return result;
}

static sn_newton_result advance(sn_stepper *s, double time, int halvings)
{
    sn_newton_result first = try_step(s, time);
    if (first.end != SN_NEWTON_FAILED || first.status != SN_OK ||
        halvings == SN_MOST_STEP_HALVINGS || time <= s->time)
        return first;
    sn_info("a step of %g s failed at %g s: trying two of half the length", time - s->time,
            s->time);
    sn_newton_result half = advance(s, s->time + (time - s->time) / 2, halvings + 1), rest = half;
    if (half.end != SN_NEWTON_FAILED) {
        rest = advance(s, time, halvings + 1);
        rest.newton += half.newton;
        rest.linear += half.linear;
        rest.residual = fmax(rest.residual, half.residual);
    }
    rest.newton += first.newton;
    rest.linear += first.linear;
    return rest;
}

sn_newton_result sn_stepper_advance(sn_stepper *s, double time)
{
    return advance(s, time, 0);
}
