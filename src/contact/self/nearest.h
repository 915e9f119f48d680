/* Targets for points inside other flesh whose normals lead to none: where flesh overlaps by less
 * than it is curved, lines along normals pass beside the part of the other surface that lies
 * within. Then the nearest place on a triangle that may be a target is one.
 *
 * Hides that points travel, to the ranks with candidates near them. Triangles at one distance are
 * told apart by their numbers. */
#ifndef SN_CONTACT_SELF_NEAREST_H
#define SN_CONTACT_SELF_NEAREST_H

#include "contact/self/rays.h"
#include "contact/self/target_set.h"

/* Collective. Completes the targets of the regions' points that have none. */
void sn_self_nearest_targets(const sn_self_surface *surface, const sn_mesh *shape,
                             const sn_self_target_set *set, const sn_self_regions *regions,
                             sn_self_target *targets);

#endif
