/* What approximates the inverse of a system: a function and its context.
 *
 * A linear solve (solve/linear.h) asks for nothing else, so it does not know whether it is a
 * multigrid cycle, an elimination or a direct factor that answers. As an operator it must be
 * symmetric and positive definite, up to rounding, and the same from one preparation to the next.
 */
#ifndef SN_SYSTEM_PRECONDITIONER_H
#define SN_SYSTEM_PRECONDITIONER_H

#include "base/status.h"

typedef struct {
    void *context;

    /* Collective: z = what it makes of r, both fields of the finest level; zero where pinned. */
    void (*apply)(void *context, const double *r, double *z);

    /* Collective. The system was linearised anew, about the field x, and will be solved: whatever
     * depends on it is made now. SN_INACCURATE if that is not possible for this matrix. */
    sn_status (*prepare)(void *context, double *x);

    /* A step begins: whatever was kept from earlier ones is forgotten, so that nothing depends on
     * how a run came to a state. May be NULL. */
    void (*begin)(void *context);
} sn_preconditioner;

#endif
