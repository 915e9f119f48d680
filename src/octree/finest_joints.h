/* From the parts of cells on the surface to copies and bonds of the finest level.
 *
 * A cell with several parts of its body (parts.h) is a leaf with a copy for each; copies of two
 * cells are joined where the solid goes on through the face between them. Larger leaves, and those
 * that the surface does not cut, have one part that fills them. */
#ifndef SN_OCTREE_FINEST_JOINTS_H
#define SN_OCTREE_FINEST_JOINTS_H

#include "octree/bonds.h"
#include "octree/parts.h"

/* Collective. `leaves` are the places of the finest level's, on their owners. */
void sn_finest_joints_find(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                           const sn_parts_search *search, const sn_leaves *leaves,
                           sn_joints *joints);

#endif
