/* From one time to the next: backward Euler, BDF2, or a quasistatic step.
 *
 * With v the velocities and h the step, both integrators solve M a = f at the new time:
 *
 *     backward Euler   a = (x - (x0 + h v0)) / h^2,                  v = (x - x0) / h
 *     BDF2             a = 9/(4 h^2) (x - predicted),                v = 3/(2h) (x - (4 x0 - x1)/3)
 *                      predicted = (4 x0 - x1)/3 + 2h/9 (4 v0 - v1)
 *
 * x0, v0 are the last state and x1, v1 the one before. BDF2 is second-order: motion does not die
 * as it does in backward Euler. Its first step, and any step of another length than the last, is
 * backward Euler.
 *
 * A step that fails is retried as two of half the length, and so on; `SN_MOST_STEP_HALVINGS`
 * times at most. Pins and what ties aim at are moved by callbacks to where they are at the time
 * asked for; contacts come from their source. */
#ifndef SN_SOLVE_STEP_H
#define SN_SOLVE_STEP_H

#include "solve/newton.h"

enum { SN_MOST_STEP_HALVINGS = 6 };

/* Sets the pinned nodes of the field x to where they are at a time. */
typedef void sn_pin_mover(void *context, double time, double *x);

/* Aims the ties of the system (sn_multigrid_set_ties) at where bones are at a time. */
typedef void sn_tie_mover(void *context, double time);

typedef struct {
    sn_multigrid *mg;
    sn_solver_settings settings;
    const double *damping; /* of the owned elements: times their stiffness; NULL for none */
    const double *gravity;
    sn_pin_mover *move_pins;
    void *pins;
    sn_tie_mover *move_ties; /* NULL: they stay */
    void *ties;
    const sn_contact_source *contacts; /* NULL: none */

    double time;
    double *x, *v; /* fields: positions and velocities now */
    double *x_before, *v_before;
    double last_step; /* 0: there is no state before */
    double *external;
} sn_stepper;

/* `x` is where the nodes start, at rest. `damping` and `gravity` must stay. */
sn_stepper sn_stepper_create(sn_multigrid *mg, const sn_solver_settings *settings,
                             const double *damping, const double gravity[3],
                             sn_pin_mover *move_pins, void *pins, const double *x);
void sn_stepper_free(sn_stepper *stepper);

/* From the next step on. The source must stay. */
void sn_stepper_set_ties(sn_stepper *stepper, sn_tie_mover *move_ties, void *ties);
void sn_stepper_set_contacts(sn_stepper *stepper, const sn_contact_source *contacts);

/* Collective. Goes to `time` in one step, or more if it must. Iterations are added up; the rest
 * of the result is that of the last step. If no step succeeds, `end` says so, and the state is
 * the last good one; if contacts can't be found, so does `status`. */
sn_newton_result sn_stepper_advance(sn_stepper *stepper, double time);

/* Collective. */
double sn_stepper_kinetic_energy(const sn_stepper *stepper);

#endif
