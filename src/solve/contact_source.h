/* Where a step's contacts come from: what solve asks of whoever finds collisions.
 *
 * Contacts depend on positions, so Newton's method asks for them again at each of its first
 * SN_MOST_CONTACT_REFRESHES iterates, and keeps the last ones after that, so that it converges.
 * Between two calls of `find` the springs do not change: Phi falls. Any member but `find` may be
 * NULL. Every call is collective. */
#ifndef SN_SOLVE_CONTACT_SOURCE_H
#define SN_SOLVE_CONTACT_SOURCE_H

#include "base/status.h"
#include "springs/spring.h"

enum { SN_MOST_CONTACT_REFRESHES = 4 };

typedef struct {
    void *context;

    /* Appends to `springs`, which is empty, the contacts of positions x at `time`, the end of the
     * step. x is a field of the finest level whose owned nodes are set: who needs ghosts fills
     * them. Each spring is appended on one rank, any rank; numbers are unique over all ranks, and
     * do not depend on them. All ranks return the same status; a failure ends the step for good. */
    sn_status (*find)(void *context, double time, double *x, sn_spring_list *springs);

    /* Would the nodes, on their straight way from the last accepted step to x, pass through
     * something that the contacts of the last search do not push them out of? Then the step is
     * tried again as two of half the length. All ranks return the same status and answer. */
    sn_status (*follow)(void *context, double *from, double *x, bool *passed);

    /* The step to `time` is accepted, and x is where it ended: anchors of friction may follow. All
     * ranks return the same status; a failure ends the shot. */
    sn_status (*settle)(void *context, double time, double *x);

    /* A step is begun, or begun again at half its length because it failed: whatever `find` has
     * kept in mind since the last `settle` is void. */
    void (*reset)(void *context);
} sn_contact_source;

#endif
