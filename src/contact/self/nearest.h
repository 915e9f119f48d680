/* From points inside other flesh to their targets: the nearest place on a triangle that may be one
 * (regions.h) and that the surface around the point faces (facets.h).
 *
 * How far that is changes steadily with all positions, and so does the energy of a spring to it.
 * The way there is at right angles to the triangle, or leads to an edge or corner: what pushes the
 * point and the target apart along it turns neither.
 *
 * Hides that points travel, to the ranks with candidates near them. Triangles at one distance are
 * told apart by their numbers. */
#ifndef SN_CONTACT_SELF_NEAREST_H
#define SN_CONTACT_SELF_NEAREST_H

#include "contact/self/regions.h"
#include "mesh/embree.h"

typedef struct {
    size_t point;     /* which of this rank's */
    int64_t triangle; /* -1: no target was found */
    double weight[3]; /* of the triangle's corners */
    double distance;
} sn_self_target;

/* Not collective. Where sides of two bodies are flush, rounding decides which points are inside,
 * and would do so again in each search. So a point just outside, beside a triangle but below its
 * plane, is pressed as well: `way` leads to the nearest place of the triangle. */
bool sn_self_is_pressed(sn_vec way, sn_vec normal, double cell);

/* Collective. One target for each point of the regions, in their order; the caller frees them. */
SN_CHECKED sn_status sn_self_find_targets(const sn_self_surface *surface, const sn_mesh *shape,
                                          const sn_box *bounds, RTCDevice device,
                                          const sn_self_regions *regions, sn_self_target **targets);

#endif
