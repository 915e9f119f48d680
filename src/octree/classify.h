/* Inside or outside (section 6 of the paper): by winding number at the octant's centre, for
 * every octant that the surface does not pass through. */
#ifndef SN_OCTREE_CLASSIFY_H
#define SN_OCTREE_CLASSIFY_H

#include "octree/balance.h"
#include "octree/surface.h"

/* Sets the present bit of the children that lie inside; those of finest cells on the surface
 * are set already. */
void sn_classify(const sn_bodies *bodies, const sn_solid *solids, sn_families *families);

#endif
