/* From one time to the next: backward Euler, BDF2, or a quasistatic step.
 *
 * With v the velocities and h the step, both integrators solve M a = f at the new time:
 *
 *     v = rate (x - from),      from   = ((1 + r)^2 x0 - r^2 x1) / (1 + 2r)
 *     a = rate (v - from_v),    from_v = ((1 + r)^2 v0 - r^2 v1) / (1 + 2r)
 *                               rate   = (1 + 2r) / ((1 + r) h)
 *
 * x0, v0 are the last state and x1, v1 the one before. In BDF2 r is the step's length over that of
 * the last one: with equal steps from is (4 x0 - x1) / 3 and rate 3 / (2h). It is second-order:
 * motion does not die as it does in backward Euler, where r is 0. Only the very first step has no
 * state before and starts with backward Euler, on a quarter of its length; then lengths double.
 * After halved steps they double again, because BDF2 is not stable if they grow faster: a step that
 * is too long after the last one is cut before it is tried.
 *
 * Knows how a step's potential is made and what follows from its lowest point. How that is found is
 * for the method that it is given (method.h); pins, bones and contacts are sources (source.h). A
 * step that fails is retried as two of half the length, and so on; `SN_MOST_STEP_HALVINGS` times at
 * most. */
#ifndef SN_SOLVE_STEP_H
#define SN_SOLVE_STEP_H

#include "solve/method.h"
#include "solve/settings.h"
#include "solve/state.h"

enum { SN_MOST_STEP_HALVINGS = 6 };

/* What a stepper is made of; all of it is the caller's and must stay. */
typedef struct {
    sn_system *system;
    sn_method method;
    const sn_sources *sources;
    sn_solver_mode mode;
    sn_integrator integrator;
    bool damped;                    /* any element on any rank is: */
    sn_numbers_of_elements damping; /* in seconds */
    double gravity[3];
    sn_state *state;
} sn_stepper_parts;

typedef struct {
    sn_stepper_parts parts;
} sn_stepper;

/* What is left of the way to a time, which steps that had to be cut have made one of several. It is
 * all that there is to know when a way is broken off between two steps and gone on with later, from
 * a checkpoint: the steps to come are those that would have come. */
enum { SN_MOST_WAY_ENDS = SN_MOST_STEP_HALVINGS + 1 };

typedef struct {
    double time;
    int halvings; /* that led to the step */
} sn_way_end;

typedef struct {
    int n;                            /* ends of steps to come; 0 where all are done */
    sn_way_end end[SN_MOST_WAY_ENDS]; /* the next one last */
    int steps;                        /* that were taken */
    sn_step_result so_far;            /* counts of all that were tried, the worst of those taken */
} sn_step_way;

sn_step_way sn_step_way_to(double time);

/* Collective. Goes the way to its end, or as far as it comes: with the status SN_STOPPED it can be
 * gone on with, and what was tried last counts nowhere. The result is that of the next function. */
sn_step_result sn_stepper_go(sn_stepper *stepper, sn_step_way *way);

/* Collective. Brings the state to `time` in one step, or more if it must. Iterations are added up;
 * the rest of the result is that of the last step. If no step succeeds, `end` says so, and the
 * state is the last good one; if a source failed, so does `status`. */
sn_step_result sn_stepper_advance(sn_stepper *stepper, double time);

#endif
