/* The part of each element that is inside its body's mesh, and its centroid.
 *
 * Elements that the surface does not meet have 1. For the others it is the volume that the
 * triangles cut out of the cell, to rounding (columns.h). Where the mesh is dirty, open or with
 * parts that overlap, winding numbers at points in the cell tell, as for whole cells
 * (surface.h): to a percent or two in a cell, and far better in their sum. Where a cell has copies,
 * each has what its own part fills of it (parts.h), of that sum. */
#ifndef SN_OCTREE_FRACTION_H
#define SN_OCTREE_FRACTION_H

#include "octree/hierarchy.h"
#include "octree/surface.h"

/* Collective. Of all local elements of the finest level, owned and then ghosts: the same bits on
 * any number of ranks. Centroids are seen from the element's centre, in halves of its edge.
 * Elements of bodies that are not `wanted` have 1, and their centre. */
SN_CHECKED sn_status sn_element_fractions(const sn_hierarchy *forest, const sn_solid *solids,
                                          const bool *wanted, double *fraction,
                                          float (*centroid)[3]);

/* Collective. The volume that the elements of a body have inside, or with NULL as whole cells. */
double sn_octree_volume(const sn_octree *tree, int body, const double *fraction);

#endif
