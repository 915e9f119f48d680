/* One implicit step: positions that minimise the step's potential, by Newton's method with an
 * energy line search (sections 4.2 and 7).
 *
 *     Phi(x) = E(x) + S(x) + c/2 |x - predicted|^2_M + r/2 |x - damped_from|^2_D - external . x
 *
 * The first term is elastic; the second is that of the springs, ties and contacts; the third is
 * inertia, whose c and predicted positions an integrator chooses (step.h); the fourth is Rayleigh
 * damping, D the sum of the elements' stiffness matrices at
 * the current iterate, each times its damping; without c and r it is a quasistatic step. The
 * definiteness fix makes every direction one of descent, and a step is only taken if Phi falls, so
 * it can't rise unseen; but contacts and the limits of their friction are found anew at the first
 * iterations (contact_source.h): Phi is another one then. A
 * step is converged only on contacts of its own positions, or if it may not ask for more. Pinned
 * nodes stay where x has them.
 *
 * Where nothing holds a body, as in quasistatics without pins, the matrix is singular: as soon as
 * steps turn out far too long, some mass is added to it, and taken away again when full steps
 * succeed. Phi does not change by that, nor does its minimum. */
#ifndef SN_SOLVE_NEWTON_H
#define SN_SOLVE_NEWTON_H

#include "solve/contact_source.h"
#include "solve/linear.h"
#include "solve/settings.h"

typedef struct {
    double inertia;                    /* c */
    const double *predicted;           /* field of the finest level; unused if c is 0 */
    double rate;                       /* r: of velocity for a change of position; 0: no damping */
    const double *damping;             /* of the owned elements; unused if r is 0 */
    const double *damped_from;         /* field; unused if r is 0 */
    const double *external;            /* forces at the owned nodes */
    const sn_contact_source *contacts; /* NULL: none */
    double time;                       /* that contacts are asked for */
} sn_potential;

typedef enum {
    SN_NEWTON_CONVERGED,
    SN_NEWTON_AT_LIMIT, /* max iterations are done; Phi never rose */
    SN_NEWTON_FAILED,   /* no descent, a breakdown, or numbers that are not finite */
} sn_newton_end;

typedef struct {
    sn_newton_end end;
    int newton, linear; /* iterations */
    int broken_cycles;  /* linear solves that went on without multigrid */
    /* The unbalanced force at the free nodes, relative to the largest of the forces that should
     * balance there; 0 if it is no more than what rounded positions cause. */
    double residual;
    sn_deformation_summary deformation; /* at the end */
    /* Why it failed, if no shorter step can help: a failure to find contacts, or of the machine. */
    sn_status status;
} sn_newton_result;

/* Collective. x is a field; after a failure it is the last iterate whose Phi was finite. */
sn_newton_result sn_newton_solve(sn_multigrid *mg, sn_newton_settings newton,
                                 sn_linear_settings linear, const sn_potential *potential,
                                 double *x);

#endif
