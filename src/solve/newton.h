/* Newton's method with an energy line search (sections 4.2 and 7).
 *
 * The definiteness fix makes every direction one of descent, and a step is only taken if Phi falls,
 * so it can't rise unseen; but while springs of contact and the limits of their friction settle
 * (source.h) Phi is another one again and again. A step is converged if forces balance and springs
 * have settled. If it has used up its iterations before, it has not, and its result says by how
 * much its friction is too strong.
 *
 * A linear solve goes as far as its tolerance says, but not much farther than Newton's own
 * tolerance asks for, nor nearer than the last iteration came: what is not linear spoils the rest.
 * It is followed by corrections: a few steps of nonlinear conjugate gradients with the
 * preconditioner as it is, each as long as the matrix there says, and only if Phi falls; where
 * forces balance they let friction follow. They count as inner iterations, of which an iteration
 * has no more than a linear solve may have. Where springs that were found again leave little
 * unbalanced, such corrections, by the last cycle, come before the next linear solve, and often in
 * place of it. A trial is evaluated once: what is taken is linearised already.
 *
 * In dynamics the first thing that is tried is to coast: the whole way that inertia predicts, or
 * as much of it as makes Phi fall. What slides is then almost where it will be, while a linear
 * solve from the start would take friction that holds there for one that holds for good.
 *
 * Where nothing holds a body, as in quasistatics without pins, the matrix is singular: as soon as
 * steps turn out far too long, some mass is added to it, and taken away again when full steps
 * succeed. Phi does not change by that, nor does its minimum.
 *
 * Between its iterations, and every few within a linear solve, it asks whether to give up: then it
 * fails with the status SN_STOPPED. */
#ifndef SN_SOLVE_NEWTON_H
#define SN_SOLVE_NEWTON_H

#include "solve/interrupt.h"
#include "solve/linear.h"
#include "solve/method.h"

/* What it is told. */
typedef struct {
    sn_newton_settings settings;
    sn_linear_settings linear;
    sn_preconditioner preconditioner; /* its context must stay */
    const sn_interrupt *interrupt;    /* the caller's; NULL for none */
} sn_newton;

/* The method; the caller frees it. */
sn_method sn_newton_create(sn_newton newton);

#endif
