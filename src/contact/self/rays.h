/* From points inside other flesh to their targets (section 8): along the normal, both ways, to the
 * first triangle that may be one.
 *
 * Knows the nearest hit each way, in double, and what it means: a triangle that is left through
 * its front is where the other flesh ends, a target; one that is met from its front is not, and
 * hides what is behind it. Of two targets the nearer one counts; without any it is the nearest
 * place that may be one (nearest.h). Hides that rays travel: each goes to the ranks with
 * candidates in boxes that its line passes through, where Embree finds the triangles to be tried.
 * Hits at one distance are told apart by the triangles' numbers. */
#ifndef SN_CONTACT_SELF_RAYS_H
#define SN_CONTACT_SELF_RAYS_H

#include "contact/self/regions.h"

typedef struct {
    size_t point;     /* which of this rank's */
    int64_t triangle; /* -1: no target was found */
    double weight[3]; /* of the triangle's corners */
    double distance;
} sn_self_target;

/* Collective. One target for each point of the regions, in their order; the caller frees them. */
SN_CHECKED sn_status sn_self_find_targets(const sn_self_surface *surface, const sn_mesh *shape,
                                          const sn_box *bounds, RTCDevice device,
                                          const sn_self_regions *regions, sn_self_target **targets);

#endif
