#include "solve/newton.h"

#include "base/array.h"
#include "base/log.h"

#include <math.h>

enum { MOST_HALVINGS = 20 };

/* Of the fall that the slope promises, so much must come (Armijo). */
static const double ENOUGH_DESCENT = 1e-4;

/* Limits of friction follow when so much of what was unbalanced at their last change is left: by
 * iterations of blocks that slide. Less often takes more, more often runs in circles. */
static const double LEFT_TO_FOLLOW = 0.3;

/* Where limits that are new leave less than this part of the tolerance unbalanced, they need not be
 * followed again. Walk, frames 23 and 24: 13 iterations without, 11 with it. */
static const double MOOT = 0.1;

/* What springs that were found again leave unbalanced must be less, from round to round, than this
 * part of it. */
static const double NEARER = 0.5;

/* Less than this part of what the linear system promised is poor. */
static const double POOR_DESCENT = 0.5;

/* Phi is a sum of large terms: falls below this part of them are rounding. */
static const double PHI_ROUNDING = 1e-13;

/* And of small strains, which are differences of large positions: falls below this part may not be
 * seen in Phi, only in its slope. */
static const double SMALL_FALL = 1e-6;

/* What holds a body that could move or turn freely, in parts of its mean stiffness: mass, added
 * to the matrix but not to Phi, when steps turn out too long. */
static const double FIRST_SHIFT = 1e-6, MOST_SHIFT = 1, SHIFT_FACTOR = 16;
static const double SHORT_STEP = 0.125;

/* At most so many after a linear solve. Spike at cells of 0.04, frames 27 to 30: 67 iterations
 * without, 25 with three. */
enum { MOST_CORRECTIONS = 3 };

/* A linear solve goes no nearer than to this part of what Newton's tolerance asks for, nor nearer
 * than the last iteration came (Eisenstat and Walker 1996), as far as that is no coarser than the
 * second. Spike, frames 26 to 31: 323 linear iterations without the second, 271 with it. */
static const double ENOUGH = 0.3, COARSEST = 0.1;

/* What springs that were found again leave unbalanced is corrected by the last cycle if it is less
 * than so many times the tolerance. Walk at cells of 0.02, frames 11 to 13: 28 iterations and 115
 * linear ones without, 7 and 81 with it. */
static const double NEAR = 20;

/* One step's iterations. */
typedef struct {
    const sn_newton *newton;
    sn_potential *potential;
    const sn_octree *tree;
    double *x; /* the caller's, as the next ones a field */
    double *force, *direction;
    double *trial, *pull; /* borrowed while x moves */
    bool linearised;      /* the elements are, about x */
    bool tried;           /* they are, about `trial` */
    bool renewed;         /* springs, or limits of their friction, are others since then */
    bool evaluated;       /* there is nothing new at x */
    double shift, unit;   /* mass that is added to the matrix, in units of stiffness over mass */
    double shifted;       /* by so much the matrix is */
    bool coasted;         /* or it was tried */
    int searches;         /* for springs, so far */
    bool fresh;           /* the springs are those of x */
    bool searched;        /* and nothing has moved since they were found */
    bool prepared;        /* there is a cycle, of this step */
    double solved;        /* the residual that the last linear solve began with */
    double began;         /* the residual when springs or limits were new */
    int rounds;           /* in which springs were found again where forces balanced */
    double surprise;      /* the residual on these in the last one */
    bool settled;
    bool interrupted;
} iterations;

static iterations begin(const sn_newton *newton, sn_potential *potential, double *x)
{
    const sn_octree *tree = potential->system->tree;
    return (iterations){.newton = newton,
                        .potential = potential,
                        .tree = tree,
                        .x = x,
                        .surprise = INFINITY,
                        .solved = INFINITY,
                        .force = sn_field_borrow(&potential->system->spare, tree),
                        .direction = sn_field_borrow(&potential->system->spare, tree)};
}

static void give_back(iterations *s)
{
    sn_field_pool *spare = &s->potential->system->spare;
    sn_field_give_back(spare, s->force);
    sn_field_give_back(spare, s->direction);
}

/* ---- Linearisation. ---- */

static void linearise_trial(iterations *s)
{
    s->linearised = s->evaluated = s->renewed = false;
    s->shifted = s->shift * s->unit;
    sn_potential_linearise(s->potential, s->trial, s->shifted);
    s->tried = true;
}

/* About x, as far as it is not done. */
static void linearise(iterations *s)
{
    double shift = s->shift * s->unit;
    if (!s->linearised)
        sn_potential_linearise(s->potential, s->x, shift);
    else if (s->renewed || shift != s->shifted)
        sn_potential_relinearise(s->potential, s->x, shift);
    s->linearised = true;
    s->renewed = false;
    s->shifted = shift;
}

/* The trial becomes x. */
static void take_trial(iterations *s)
{
    sn_field_copy_f64(s->tree, s->x, s->trial);
    s->linearised = s->tried;
    s->evaluated = false;
}

/* The potential at x, its force, and what is left of it, if that is not known. Is all finite? */
static bool evaluate(iterations *s, sn_step_result *result)
{
    if (s->evaluated && !s->renewed)
        return true;
    linearise(s);
    result->deformation = s->potential->deformation;
    if (!isfinite(result->deformation.energy))
        return false;
    result->residual = sn_potential_force(s->potential, s->x, s->force);
    s->evaluated = isfinite(result->residual);
    return s->evaluated;
}

static bool balances(const iterations *s, const sn_step_result *result)
{
    return result->residual <= s->newton->settings.tolerance;
}

/* The same with springs, or limits of their friction, that are new. */
static bool evaluate_anew(iterations *s, sn_step_result *result)
{
    bool finite = evaluate(s, result);
    s->began = result->residual;
    return finite;
}

static bool follow_friction(iterations *s, sn_step_result *result)
{
    sn_potential_relimit_friction(s->potential, s->x);
    s->renewed = true;
    return evaluate_anew(s, result);
}

/* Is friction as strong as the forces at x say? */
static bool rubs_well(iterations *s, sn_step_result *result)
{
    sn_friction_error error = sn_potential_friction_error(s->potential, s->x);
    result->friction_excess = error.above;
    return fmax(error.above, error.below) <= SN_MOST_FRICTION_ERROR;
}

/* With limits that are new: do forces balance so well that it does not matter what they were? */
static bool is_moot(const iterations *s, const sn_step_result *result)
{
    return result->residual <= MOOT * s->newton->settings.tolerance;
}

/* ---- Line search. ---- */

/* A step that brings far less than the linear system promised goes too far: contacts opened or
 * closed on the way, and would do so again and again. Then the lowest point of the parabola through
 * what is known may be better. */
static double shorten(iterations *s, const sn_line *l, double length, double there)
{
    double promised = -l->slope * length * (1 - length / 2);
    double bend = there - l->start - l->slope * length;
    if (l->start - there >= POOR_DESCENT * promised || !(bend > 0))
        return length;
    double lowest = fmax(-l->slope * length * length / (2 * bend), SHORT_STEP * length);
    if (lowest < 0.9 * length && sn_line_at(l, lowest, s->trial) < there) {
        s->tried = false;
        return lowest;
    }
    sn_line_go(l, length, s->trial); /* back there */
    return length;
}

/* Did Phi fall enough by the slopes at both ends? A fall this small is far below what bends the
 * line: there Phi is a parabola, which falls by the mean of its slopes (the approximate condition
 * of Hager and Zhang 2005). */
static bool falls_by_slope(iterations *s, const sn_line *l, double length, double there)
{
    double unseen = SMALL_FALL * l->size;
    if (-l->slope * length > unseen || there > l->start + unseen)
        return false;
    if (!s->tried)
        linearise_trial(s);
    s->evaluated = false; /* the force becomes that of the trial */
    double slope = sn_line_slope_at(l, s->trial, s->force);
    return slope <= (2 * ENOUGH_DESCENT - 1) * l->slope;
}

static bool falls_enough(iterations *s, const sn_line *l, double length, double there)
{
    double most = l->start + ENOUGH_DESCENT * length * l->slope + PHI_ROUNDING * l->size;
    return isfinite(there) && (there <= most || falls_by_slope(s, l, length, there));
}

/* Phi at a length that will most likely be taken: so it is linearised about it at once. */
static double linearise_along(iterations *s, const sn_line *l, double length)
{
    sn_line_go(l, length, s->trial);
    linearise_trial(s);
    return sn_potential_energy_here(s->potential, s->trial);
}

/* Phi at a shorter one. */
static double look_along(iterations *s, const sn_line *l, double length)
{
    s->tried = false;
    return sn_line_at(l, length, s->trial);
}

/* How far x goes along the direction, which is where `trial` is then: 0 if Phi does not fall. */
static double fall_along(iterations *s)
{
    sn_line l = sn_potential_line(s->potential, s->x, s->force, s->direction);
    if (!(l.slope < 0))
        return 0;
    double length = 1, there = linearise_along(s, &l, length);
    for (int halving = 0; halving <= MOST_HALVINGS; halving++) {
        if (falls_enough(s, &l, length, there))
            return shorten(s, &l, length, there);
        length /= 2;
        there = look_along(s, &l, length);
    }
    return 0;
}

/* Moves x along the direction as far as Phi falls enough, and returns how far: 0 if it does not. */
static double line_search(iterations *s)
{
    s->trial = sn_field_borrow(&s->potential->system->spare, s->tree);
    double length = fall_along(s);
    if (length > 0)
        take_trial(s);
    sn_field_give_back(&s->potential->system->spare, s->trial);
    return length;
}

/* ---- Corrections. ----
 *
 * What turns far within a step is stretched by a straight way. The matrix of the start knows
 * nothing of that, but the cycle that was made of it is good enough to take the stretch away again:
 * it costs far less than the next linear solve, which begins with a new cycle. */

/* The cycle's direction, conjugate to the last one if there was one (the rule of Polak and Ribiere,
 * without negative factors). */
static void turn(iterations *s, bool is_first, double *fz)
{
    const sn_preconditioner *cycle = &s->newton->preconditioner;
    double old = is_first ? 0 : sn_field_dot_f64(s->tree, s->force, s->pull);
    sn_system_follow_diagonal(s->potential->system);
    cycle->apply(cycle->context, s->force, s->pull);
    double next = sn_field_dot_f64(s->tree, s->force, s->pull);
    double beta = is_first ? 0 : fmax(0, (next - old) / *fz);
    if (is_first)
        sn_field_copy_f64(s->tree, s->direction, s->pull);
    else
        sn_field_add_f64(s->tree, s->pull, beta, s->direction, s->direction);
    *fz = next;
}

/* How far it is to the lowest point along the direction, by the matrix. */
static double lowest_point(iterations *s)
{
    double *product = sn_field_borrow(&s->potential->system->spare, s->tree), dots[2];
    sn_system_apply_f64(s->potential->system, s->direction, product);
    sn_field_pair pairs[2] = {{s->force, s->direction}, {s->direction, product}};
    sn_field_dots(s->tree, 2, pairs, dots);
    sn_field_give_back(&s->potential->system->spare, product);
    return dots[0] > 0 && dots[1] > 0 ? dots[0] / dots[1] : 0;
}

static bool correct_once(iterations *s, bool is_first, double *fz)
{
    turn(s, is_first, fz);
    double length = lowest_point(s);
    if (!(length > 0) || !isfinite(length))
        return false;
    s->trial = sn_field_borrow(&s->potential->system->spare, s->tree);
    sn_line l = sn_potential_line(s->potential, s->x, s->force, s->direction);
    bool falls = falls_enough(s, &l, length, linearise_along(s, &l, length));
    if (falls)
        take_trial(s);
    sn_field_give_back(&s->potential->system->spare, s->trial);
    return falls;
}

/* Is there anything to correct? Where forces balance, friction may still follow them: then Phi is
 * another one, and directions begin anew. */
static bool is_left(iterations *s, bool *is_first, sn_step_result *result)
{
    if (!evaluate(s, result))
        return false;
    if (!balances(s, result))
        return true;
    *is_first = true;
    return !rubs_well(s, result) && follow_friction(s, result) && !is_moot(s, result);
}

/* As often as Phi falls; returns how often it was tried. */
static int correct(iterations *s, int most, sn_step_result *result)
{
    sn_field_pool *spare = &s->potential->system->spare;
    s->pull = sn_field_borrow(spare, s->tree);
    double fz = 0;
    bool is_first = true, falls = true;
    int tried = 0;
    for (; falls && tried < most && is_left(s, &is_first, result); tried++, is_first = false)
        falls = correct_once(s, is_first, &fz);
    sn_field_give_back(spare, s->pull);
    return tried;
}

/* ---- One iteration. ---- */

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

/* Asking takes one reduction of an integer, an iteration several of long sums. */
static bool go_on_solving(void *context, int iteration, const double *x)
{
    enum { ASKED_EVERY = 8 };
    iterations *s = context;
    (void)x;
    if (iteration > 0 && iteration % ASKED_EVERY == 0)
        s->interrupted = sn_interrupt_is_asked(s->newton->interrupt);
    return !s->interrupted;
}

static int most_corrections(const sn_newton *n, int solved)
{
    int left = n->linear.max - solved;
    if (!sn_linear_is_preconditioned(n->linear.method))
        return 0;
    return left < MOST_CORRECTIONS ? left : MOST_CORRECTIONS;
}

/* What the scene asks for, or less: near the end, and where more would not be better. */
static sn_linear_settings linear_settings(const iterations *s, double residual)
{
    const sn_newton *n = s->newton;
    sn_linear_settings linear = n->linear;
    double came = isfinite(s->solved) ? residual / s->solved : 1;
    double enough = fmin(COARSEST, fmax(came, ENOUGH * n->settings.tolerance / residual));
    if (linear.tolerance > 0)
        linear.tolerance = fmax(linear.tolerance, enough);
    return linear;
}

static sn_linear_result solve(iterations *s, sn_step_result *result)
{
    const sn_newton *n = s->newton;
    sn_linear_settings linear = linear_settings(s, result->residual);
    s->solved = result->residual;
    sn_field_clear_f64(s->tree, s->direction);
    sn_linear_result solved = sn_linear_solve(s->potential->system, &n->preconditioner, linear,
                                              s->force, s->direction, go_on_solving, s);
    result->inner += solved.iterations;
    result->breakdowns += solved.preconditioner_broke_down;
    return solved;
}

static bool solve_and_move(iterations *s, sn_step_result *result)
{
    double residual = result->residual;
    sn_linear_result solved = solve(s, result);
    if (s->interrupted)
        return false;
    double step = line_search(s);
    if (step == 0)
        s->linearised = s->evaluated = false;
    if (step == 0 && s->shift >= MOST_SHIFT)
        return false;
    s->shift = next_shift(s->shift, step);
    int corrections = 0;
    if (step > 0)
        corrections = correct(s, most_corrections(s->newton, solved.iterations), result);
    result->inner += corrections;
    sn_note("newton %d: residual %.2e, %d linear iterations to %.1e, step %g, %d corrections",
            result->iterations, residual, solved.iterations, solved.residual, step, corrections);
    return true;
}

/* After an inaccurate system a shorter step may have an accurate one. */
static bool is_usable(sn_status status, sn_step_result *result)
{
    if (status != SN_OK && status != SN_INACCURATE)
        result->status = status;
    return status == SN_OK;
}

static sn_status prepare(iterations *s)
{
    const sn_newton *n = s->newton;
    sn_potential_forget_force(s->potential); /* as far as it is needed, `force` has it */
    if (sn_linear_is_preconditioned(n->linear.method))
        return n->preconditioner.prepare(n->preconditioner.context, s->x);
    return SN_OK;
}

/* ---- Springs that settle. ---- */

/* Force and direction say nothing any more where springs are others: the search has their memory.
 */
static bool search(iterations *s, sn_step_result *result)
{
    sn_field_pool *spare = &s->potential->system->spare;
    give_back(s);
    result->status = sn_potential_find_springs(s->potential, s->x);
    s->force = sn_field_borrow(spare, s->tree);
    s->direction = sn_field_borrow(spare, s->tree);
    s->searches++;
    s->fresh = s->renewed = s->searched = true;
    return result->status == SN_OK && evaluate_anew(s, result);
}

/* Springs that come no nearer to balance from round to round jump, and will go on to. */
static bool search_again(iterations *s, sn_step_result *result)
{
    double before = s->surprise;
    if (!search(s, result))
        return false;
    s->surprise = result->residual;
    s->rounds = s->surprise > NEARER * before ? SN_MOST_ROUNDS : s->rounds + 1;
    return true;
}

/* Forces balance on springs that were found elsewhere: what do those of this place say? */
static bool settle(iterations *s, sn_step_result *result)
{
    bool rubbed = rubs_well(s, result);
    if (s->rounds < SN_MOST_ROUNDS ? !search_again(s, result)
                                   : !rubbed && !follow_friction(s, result))
        return false;
    s->settled = rubbed ? balances(s, result) : is_moot(s, result) && rubs_well(s, result);
    return true;
}

/* The potential at x, on springs that may be others than before. */
static bool evaluate_and_settle(iterations *s, sn_step_result *result)
{
    result->friction_excess = 0; /* where springs are fresh */
    s->fresh = !sn_potential_springs_change(s->potential);
    if (s->searches < SN_MOST_SEARCHES && !s->fresh ? !search(s, result) : !evaluate(s, result))
        return false;
    s->settled = s->fresh && balances(s, result);
    if (s->fresh)
        return true;
    if (balances(s, result))
        return settle(s, result);
    return result->residual > LEFT_TO_FOLLOW * s->began || follow_friction(s, result);
}

/* ---- All iterations. ---- */

/* Goes, for a start, where inertia would take it; only if Phi falls. */
static bool coast(iterations *s)
{
    const sn_potential_terms *terms = &s->potential->terms;
    if (s->coasted || terms->inertia == 0)
        return false;
    s->coasted = true;
    sn_field_way_to(s->tree, &terms->predicted, s->x, s->direction);
    sn_field_mask_f64(s->tree, s->potential->system->pinned, s->direction);
    return line_search(s) > 0;
}

static sn_step_end stop_at_limit(iterations *s, sn_step_result *result)
{
    if (!s->fresh)
        result->friction_excess = sn_potential_friction_error(s->potential, s->x).above;
    return SN_STEP_AT_LIMIT;
}

static bool move(iterations *s, sn_step_result *result)
{
    if (coast(s))
        return true;
    if (s->unit == 0)
        s->unit = sn_system_stiffness_to_mass(s->potential->system);
    if (!is_usable(prepare(s), result))
        return false;
    s->prepared = true;
    if (!solve_and_move(s, result))
        return false;
    result->iterations++;
    return true;
}

/* Springs that were found again, at nearly the same place, are nearly the same: what they leave
 * unbalanced the cycle of those before can take away, without a linear solve. As often as springs
 * are looked for, so it comes to an end. */
static bool balance_again(iterations *s, sn_step_result *result)
{
    double most = NEAR * s->newton->settings.tolerance, began = result->residual;
    bool is_near = s->searched && s->prepared && began <= most && !balances(s, result);
    s->searched = false;
    if (!is_near)
        return false;
    int corrections = correct(s, most_corrections(s->newton, 0), result);
    result->inner += corrections;
    bool finite = evaluate(s, result);
    sn_note("springs found again: residual %.2e, %d corrections to %.1e", began, corrections,
            result->residual);
    return !finite || balances(s, result);
}

static sn_step_end iterate(iterations *s, sn_step_result *result)
{
    for (;;) {
        if (!evaluate_and_settle(s, result))
            return SN_STEP_FAILED;
        if (s->settled)
            return SN_STEP_CONVERGED;
        if (result->iterations == s->newton->settings.max)
            return stop_at_limit(s, result);
        s->interrupted = sn_interrupt_is_asked(s->newton->interrupt);
        if (s->interrupted || (!balance_again(s, result) && !move(s, result)))
            return SN_STEP_FAILED;
    }
}

static sn_step_result minimise(void *context, sn_potential *potential, double *x)
{
    const sn_preconditioner *preconditioner = &((const sn_newton *)context)->preconditioner;
    if (preconditioner->begin)
        preconditioner->begin(preconditioner->context);
    iterations s = begin(context, potential, x);
    sn_step_result result = {.residual = INFINITY};
    result.end = iterate(&s, &result);
    if (s.interrupted)
        result.status = SN_STOPPED;
    give_back(&s);
    return result;
}

sn_method sn_newton_create(sn_newton newton)
{
    sn_newton *own = SN_NEW(sn_newton, 1);
    *own = newton;
    return (sn_method){.context = own, .minimise = minimise, .free = sn_free};
}
