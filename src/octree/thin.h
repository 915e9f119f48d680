/* Whether the cells of a level are still smaller than the parts of its bodies.
 *
 * Two things go wrong where they are not. Thin elements touch no node inside the body: what they
 * are part of is one cell thick, and cannot bend as it does on the finer level. And where cells are
 * larger than the gaps between parts they join them, and hold little of the finest level's volume.
 * Of a body that is bulky the cells at the surface are between a half and eight tenths full.
 *
 * Either may be so of a few spikes only, on a head that has most of the volume. That is in larger
 * elements then. */
#ifndef SN_OCTREE_THIN_H
#define SN_OCTREE_THIN_H

#include "octree/hierarchy.h"

/* One body on one level. */
typedef struct {
    int64_t elements;
    int64_t thin; /* of them. A node is inside if eight elements meet there; a corner that hangs
                   * lies between elements, and counts as such */
    double full; /* how much of the volume of the finest level's elements is in the level's smallest
                  * ones, in parts of what these could hold; larger ones are taken to be full */
    double deep; /* the part of the volume that is in larger ones */
} sn_level_shape;

/* Collective. A shape for each body of the forest. */
void sn_level_shapes(sn_hierarchy *forest, int level, sn_level_shape *of_body);

#endif
