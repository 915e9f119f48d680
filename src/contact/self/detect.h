/* Which points of the surface lie inside other flesh, and their targets: one search, from
 * crossings (cross.h) over regions (regions.h) to targets (nearest.h). */
#ifndef SN_CONTACT_SELF_DETECT_H
#define SN_CONTACT_SELF_DETECT_H

#include "contact/self/nearest.h"

/* Collective. With the bodies in this shape; nothing is exchanged if there is no crossing. The
 * caller frees both; after a failure there is nothing to free. */
SN_CHECKED sn_status sn_self_detect(const sn_self_surface *surface, const sn_mesh *shape,
                                    RTCDevice device, sn_self_regions *regions,
                                    sn_self_target **targets);

/* Of a target triangle in this shape, out of its flesh; zero if it has no area. */
sn_vec sn_self_target_normal(const sn_self_surface *surface, const sn_mesh *shape,
                             int64_t triangle);

#endif
