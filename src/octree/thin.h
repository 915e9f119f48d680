/* Whether the cells of a level are still smaller than the parts of its bodies.
 *
 * Two things go wrong where they are not. Thin elements touch no node inside the body: what they
 * are part of is one cell thick, and cannot bend as it does on the finer level. And where cells are
 * larger than the gaps between parts they join them, and hold little of the finest level's volume.
 * Of a body that is bulky the cells at the surface are between a half and eight tenths full. */
#ifndef SN_OCTREE_THIN_H
#define SN_OCTREE_THIN_H

#include "octree/hierarchy.h"

/* Collective: over all ranks. A node is inside if eight elements meet there; a corner that hangs
 * lies between elements, and counts as such. */
int64_t sn_octree_thin_elements(sn_octree *tree);

/* Collective. How much of the volume of the finest level's elements is in the smallest elements of
 * a level, in parts of what these could hold. Larger ones are taken to be full. */
double sn_level_fullness(const sn_hierarchy *forest, int level);

#endif
