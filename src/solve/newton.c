#include "solve/newton.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 20 };

/* Of the fall that the slope promises, so much must come (Armijo). */
static const double ENOUGH_DESCENT = 1e-4;

/* Less than this part of what the linear system promised is poor. */
static const double POOR_DESCENT = 0.5;

/* Phi is a sum of large terms: falls below this part of them are rounding. */
static const double PHI_ROUNDING = 1e-13;

/* Unbalanced forces up to so many times those that rounded positions cause are none. */
static const double FORCE_ROUNDING = 8;

/* What holds a body that could move or turn freely, in parts of its mean stiffness: mass, added
 * to the matrix but not to Phi, when steps turn out too long. */
static const double FIRST_SHIFT = 1e-6, MOST_SHIFT = 1, SHIFT_FACTOR = 16;
static const double SHORT_STEP = 0.125;

typedef struct {
    sn_multigrid *mg;
    const sn_potential *potential;
    const sn_octree *tree;
    const double *mass;
    const uint8_t *pinned;
    sn_local n;      /* owned reals */
    double *x;       /* the caller's */
    double *force;   /* internal, then what is unbalanced */
    double *springs; /* of these, those of springs */
    double *damped;  /* K (x - damped_from) */
    double *direction, *trial, *work;
} newton;

static newton begin(sn_multigrid *mg, const sn_potential *potential, double *x)
{
    const sn_octree *tree = mg->level[0].tree;
    return (newton){.mg = mg,
                    .potential = potential,
                    .tree = tree,
                    .mass = mg->level[0].mass,
                    .pinned = mg->level[0].pinned,
                    .n = SN_NODE_REALS * tree->n_nodes,
                    .x = x,
                    .force = sn_field_new_f64(tree),
                    .springs = sn_field_new_f64(tree),
                    .damped = sn_field_new_f64(tree),
                    .direction = sn_field_new_f64(tree),
                    .trial = sn_field_new_f64(tree),
                    .work = sn_field_new_f64(tree)};
}

static void end(newton *s)
{
    sn_free(s->force);
    sn_free(s->springs);
    sn_free(s->damped);
    sn_free(s->direction);
    sn_free(s->trial);
    sn_free(s->work);
}

static double dot(const newton *s, const double *a, const double *b)
{
    return sn_global_dot(s->tree->comm, a, b, (size_t)s->n);
}

/* damped = D (x - damped_from), with the stiffness of the last update. */
static void damping_force(newton *s)
{
    if (s->potential->rate == 0)
        return;
    for (sn_local i = 0; i < s->n; i++)
        s->work[i] = s->x[i] - s->potential->damped_from[i];
    sn_operator_apply_weighted(&s->mg->level[0].op, s->mg->damping_weight, s->work, s->damped);
}

static void spring_force(newton *s)
{
    if (!sn_multigrid_has_springs(s->mg))
        return;
    memset(s->springs, 0, (size_t)s->n * sizeof *s->springs);
    sn_multigrid_spring_force_add(s->mg, s->x, s->springs);
}

/* The norm of the forces that moving each node by its position's last bit would cause: where all
 * forces are smaller, at rest, there is nothing to measure them by. */
static double rounding_force(newton *s)
{
    const float *inverse = s->mg->level[0].inverse_diagonal;
    for (sn_local i = 0; i < s->n; i++) {
        const double *at = s->x + i / SN_NODE_REALS * SN_NODE_REALS;
        double farthest = fmax(fabs(at[0]), fmax(fabs(at[1]), fabs(at[2])));
        s->work[i] = inverse[i] > 0 ? DBL_EPSILON * farthest / (double)inverse[i] : 0;
    }
    return sqrt(dot(s, s->work, s->work));
}

/* The unbalanced force, and its norm relative to the largest of those that make it up. */
static double unbalanced_force(newton *s)
{
    const sn_potential *p = s->potential;
    sn_operator_force(&s->mg->level[0].op, s->x, s->force);
    damping_force(s);
    spring_force(s);
    sn_sum sums[6] = {0}; /* internal, inertia, damping, external, unbalanced, springs */
    for (sn_local i = 0; i < s->n; i++) {
        double inertia = 0, damping = p->rate * s->damped[i];
        if (p->inertia != 0)
            inertia = p->inertia * s->mass[i / SN_NODE_REALS] * (s->x[i] - p->predicted[i]);
        s->work[i] = inertia;
        double internal = s->force[i];
        s->force[i] = internal - inertia - damping + p->external[i] + s->springs[i];
        if (s->pinned[i / SN_NODE_REALS])
            s->force[i] = 0;
        s->trial[i] = internal;
    }
    sn_sum_add_dot_threaded(&sums[0], s->trial, s->trial, (size_t)s->n);
    sn_sum_add_dot_threaded(&sums[1], s->work, s->work, (size_t)s->n);
    sn_sum_add_dot_threaded(&sums[2], s->damped, s->damped, (size_t)s->n);
    sn_sum_add_dot_threaded(&sums[3], p->external, p->external, (size_t)s->n);
    sn_sum_add_dot_threaded(&sums[4], s->force, s->force, (size_t)s->n);
    sn_sum_add_dot_threaded(&sums[5], s->springs, s->springs, (size_t)s->n);
    sn_sum_allreduce(s->tree->comm, sums, 6);
    double scale = sqrt(sn_sum_value(&sums[0]));
    scale = fmax(scale, sqrt(sn_sum_value(&sums[1])));
    scale = fmax(scale, p->rate * sqrt(sn_sum_value(&sums[2])));
    scale = fmax(scale, sqrt(sn_sum_value(&sums[3])));
    scale = fmax(scale, sqrt(sn_sum_value(&sums[5])));
    double unbalanced = sqrt(sn_sum_value(&sums[4]));
    return unbalanced <= FORCE_ROUNDING * rounding_force(s) ? 0 : unbalanced / scale;
}

/* Phi at some positions without the damping term, and the size of its terms. */
static double potential_at(newton *s, double *x, double elastic, double *size)
{
    const sn_potential *p = s->potential;
    sn_sum inertia = {0}, work = {0};
    for (sn_local i = 0; i < s->n; i++) {
        if (p->inertia != 0) {
            double away = x[i] - p->predicted[i];
            sn_sum_add(&inertia, 0.5 * p->inertia * s->mass[i / SN_NODE_REALS] * away * away);
        }
        sn_sum_add(&work, p->external[i] * x[i]);
    }
    sn_sum_allreduce(s->tree->comm, &inertia, 1);
    sn_sum_allreduce(s->tree->comm, &work, 1);
    double springs = sn_multigrid_spring_energy(s->mg, x);
    *size = fabs(elastic) + springs + sn_sum_value(&inertia) + fabs(sn_sum_value(&work));
    return elastic + springs + sn_sum_value(&inertia) - sn_sum_value(&work);
}

/* The damping term along x + a direction, relative to a = 0: slope a + curvature a^2 / 2. */
typedef struct {
    double slope, curvature;
} parabola;

static parabola damping_along(newton *s)
{
    double rate = s->potential->rate;
    if (rate == 0)
        return (parabola){0};
    sn_operator_apply_weighted(&s->mg->level[0].op, s->mg->damping_weight, s->direction, s->work);
    return (parabola){rate * dot(s, s->direction, s->damped), rate * dot(s, s->direction, s->work)};
}

/* Phi along the direction. */
typedef struct {
    double start, slope, size; /* at x; of the terms of Phi there */
    parabola damping;
} line;

/* Phi at a length along the line; the positions are left in `trial`. */
static double along(newton *s, const line *l, double length)
{
    for (sn_local i = 0; i < s->n; i++)
        s->trial[i] = s->x[i] + length * s->direction[i];
    double size, energy = sn_operator_energy(&s->mg->level[0].op, s->trial);
    double there = potential_at(s, s->trial, energy, &size);
    return there + length * l->damping.slope + length * length * l->damping.curvature / 2;
}

/* A step that brings far less than the linear system promised goes too far: contacts opened or
 * closed on the way, and would do so again and again. Then the lowest point of the parabola through
 * what is known may be better. */
static double shorten(newton *s, const line *l, double length, double there)
{
    double promised = -l->slope * length * (1 - length / 2);
    double bend = there - l->start - l->slope * length;
    if (l->start - there >= POOR_DESCENT * promised || !(bend > 0))
        return length;
    double lowest = fmax(-l->slope * length * length / (2 * bend), SHORT_STEP * length);
    if (lowest < 0.9 * length && along(s, l, lowest) < there)
        return lowest;
    along(s, l, length); /* back there */
    return length;
}

/* Moves x along the direction as far as Phi falls enough, and returns how far: 0 if it does not. */
static double line_search(newton *s, double elastic)
{
    line l = {.slope = -dot(s, s->force, s->direction)};
    if (!(l.slope < 0))
        return 0;
    l.start = potential_at(s, s->x, elastic, &l.size);
    l.damping = damping_along(s);
    double length = 1;
    for (int halving = 0; halving <= MOST_HALVINGS; halving++, length /= 2) {
        double there = along(s, &l, length);
        if (isfinite(there) &&
            there <= l.start + ENOUGH_DESCENT * length * l.slope + PHI_ROUNDING * l.size) {
            length = shorten(s, &l, length, there);
            memcpy(s->x, s->trial, (size_t)s->n * sizeof *s->x);
            return length;
        }
    }
    return 0;
}

/* The mean stiffness of the free nodes over their mean mass. */
static double stiffness_to_mass(const newton *s)
{
    const float *inverse = s->mg->level[0].inverse_diagonal;
    sn_sum sums[2] = {0};
    for (sn_local i = 0; i < s->n; i++)
        if (inverse[i] > 0) {
            sn_sum_add(&sums[0], 1 / (double)inverse[i]);
            sn_sum_add(&sums[1], s->mass[i / SN_NODE_REALS]);
        }
    sn_sum_allreduce(s->tree->comm, sums, 2);
    double mass = sn_sum_value(&sums[1]);
    return mass > 0 ? sn_sum_value(&sums[0]) / mass : 0;
}

/* Directions that are free, as in the turning of a body that nothing holds, come out of a linear
 * solve far too long, and along a line they soon stretch what they were to turn. */
static double next_shift(double shift, double step)
{
    if (step <= SHORT_STEP)
        return fmax(FIRST_SHIFT, SHIFT_FACTOR * shift);
    if (step < 1)
        return shift;
    return shift > FIRST_SHIFT ? shift / SHIFT_FACTOR : 0;
}

static bool solve_and_move(newton *s, sn_linear_settings linear, double *shift,
                           sn_newton_result *result)
{
    memset(s->direction, 0, (size_t)s->n * sizeof *s->direction);
    sn_linear_result solved = sn_linear_solve(s->mg, linear, s->force, s->direction, NULL, NULL);
    result->linear += solved.iterations;
    result->broken_cycles += solved.cycle_broke_down;
    double step = line_search(s, result->deformation.energy);
    if (step == 0 && *shift >= MOST_SHIFT)
        return false;
    *shift = next_shift(*shift, step);
    sn_note("newton %d: residual %.2e, %d linear iterations to %.1e, step %g", result->newton,
            result->residual, solved.iterations, solved.residual, step);
    return true;
}

/* Contacts at x, in the place of those before. */
static sn_status refresh_contacts(newton *s)
{
    const sn_contact_source *source = s->potential->contacts;
    sn_spring_list found = {0};
    sn_status status = source->find(source->context, s->potential->time, s->x, &found);
    if (status == SN_OK)
        status = sn_multigrid_set_contacts(s->mg, found.data, found.count);
    sn_vector_free(&found);
    return status;
}

/* After an inaccurate system a shorter step may have an accurate one. */
static bool is_usable(sn_status status, sn_newton_result *result)
{
    if (status != SN_OK && status != SN_INACCURATE)
        result->status = status;
    return status == SN_OK;
}

static sn_newton_end iterate(newton *s, sn_newton_settings settings, sn_linear_settings linear,
                             sn_newton_result *result)
{
    const sn_potential *p = s->potential;
    double shift = 0, unit = 0;
    for (;; result->newton++) {
        if (p->contacts && result->newton < SN_MOST_CONTACT_REFRESHES)
            result->status = refresh_contacts(s);
        if (result->status != SN_OK)
            return SN_NEWTON_FAILED;
        if (!is_usable(sn_multigrid_linearise(s->mg, s->x, 1, p->inertia + shift * unit,
                                              &result->deformation),
                       result) ||
            !isfinite(result->deformation.energy))
            return SN_NEWTON_FAILED;
        result->residual = unbalanced_force(s);
        if (!isfinite(result->residual))
            return SN_NEWTON_FAILED;
        if (result->residual <= settings.tolerance)
            return SN_NEWTON_CONVERGED;
        if (result->newton == settings.max)
            return SN_NEWTON_AT_LIMIT;
        if (unit == 0)
            unit = stiffness_to_mass(s);
        if (!is_usable(sn_multigrid_prepare(s->mg), result) ||
            !solve_and_move(s, linear, &shift, result))
            return SN_NEWTON_FAILED;
    }
}

sn_newton_result sn_newton_solve(sn_multigrid *mg, sn_newton_settings settings,
                                 sn_linear_settings linear, const sn_potential *potential,
                                 double *x)
{
    newton s = begin(mg, potential, x);
    if (potential->rate != 0)
        sn_multigrid_set_damping(mg, potential->damping, potential->rate);
    sn_newton_result result = {.residual = INFINITY};
    result.end = iterate(&s, settings, linear, &result);
    end(&s);
    return result;
}
