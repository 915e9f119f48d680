/* Where any points of the flesh are, by their places at rest: the paper's equation (1).
 *
 * Hides that a point's element may be another rank's: points travel there and back. */
#ifndef SN_CONTACT_SELF_POINTS_H
#define SN_CONTACT_SELF_POINTS_H

#include "octree/locate.h"
#include "octree/parts.h"
#include "springs/spring.h"

/* Collective. The nodes are at x, ghosts filled. Points are on the surface: of an element's copies
 * they follow the one whose part is there (octree/parts.h). */
SN_CHECKED sn_status sn_self_evaluate(const sn_locator *locator, const sn_parts *parts,
                                      const double *x, const sn_flesh_point *points, size_t n,
                                      double (*position)[3]);

#endif
