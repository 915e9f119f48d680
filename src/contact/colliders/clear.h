/* Which colliders are surely out of reach of a run of neighbouring points, so that none of them
 * need be asked for.
 *
 * Points that are neighbours along the curve are near each other: one ball around where all of a
 * run are, and were when the step began, is far from most colliders. Distances to a surface change
 * by no more than one goes, so that of the ball's centre tells. What is clear would not have been
 * found to touch: contacts are the same with runs and without. */
#ifndef SN_CONTACT_COLLIDERS_CLEAR_H
#define SN_CONTACT_COLLIDERS_CLEAR_H

#include "contact/colliders/colliders.h"

enum { SN_CLEAR_RUN = 32 }; /* points in a run */

/* Around some points, before the step and now. */
typedef struct {
    sn_vec center[2];
    double radius[2];
    bool at_start; /* there is no before */
    bool touched;  /* one of them has a record: its way begins elsewhere */
} sn_clear_run;

/* Not collective, as below. Of this rank's points `from` to before `to`, which are at `position`.
 */
sn_clear_run sn_clear_run_of(const sn_colliders *colliders, const double (*position)[3],
                             size_t from, size_t to, bool at_start);

/* Are all of them farther than `margin` outside of a collider, on all of their way? */
bool sn_collider_is_clear(const sn_moving_collider *collider, const sn_clear_run *run,
                          double margin);

#endif
