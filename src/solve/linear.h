/* Linear solvers behind one interface: conjugate gradients (CG), steps of the preconditioner, each
 * as long as it makes the error smaller (MG), and preconditioned conjugate gradients (MGPCG,
 * section 7). The names are those of a multigrid cycle as the preconditioner; any may be given, and
 * further methods are MGPCG with another one.
 *
 * Vectors and sums are in double precision, and every dot product is exact before it is rounded:
 * iterates do not depend on ranks or threads. */
#ifndef SN_SOLVE_LINEAR_H
#define SN_SOLVE_LINEAR_H

#include "solve/settings.h"
#include "system/preconditioner.h"
#include "system/system.h"

typedef struct {
    int iterations;
    double residual; /* |b - A x| / |b| at the end */
    bool broke_down; /* A, or the preconditioner in MG, was not positive definite or not finite */
    bool preconditioner_broke_down; /* in MGPCG: conjugate gradients went on without it */
} sn_linear_result;

/* Does a method ask for a preconditioner? */
static inline bool sn_linear_is_preconditioned(sn_linear_method method)
{
    return method != SN_LINEAR_CG;
}

/* Called after each iteration, and before the first as number 0; x has the owned nodes. Whether to
 * go on, on all ranks alike: what comes at 0 does not count. */
typedef bool sn_linear_observer(void *context, int iteration, const double *x);

/* Collective. Improves x, a field of the finest level that is zero where nodes are pinned, until
 * |b - A x| <= tolerance |b| or max iterations are done. After a breakdown x is the last good
 * iterate. CG needs no preconditioner; `observer` may be NULL. */
sn_linear_result sn_linear_solve(sn_system *system, const sn_preconditioner *preconditioner,
                                 sn_linear_settings settings, const double *b, double *x,
                                 sn_linear_observer *observer, void *context);

#endif
