/* Lumped masses of nodes.
 *
 * An element gives its mass to its corners by their shape functions at its centroid, an eighth to
 * each if it is a whole cell, and a corner that hangs hands its share on to the nodes it hangs
 * between, with the weights of their interpolation: W transposed times the shares. So nothing is
 * lost, and the centre of mass stays where it is. A node that only touches what is outside has no
 * mass. */
#ifndef SN_MODEL_MASSES_H
#define SN_MODEL_MASSES_H

#include "octree/octree.h"

/* Fills the masses of the owned nodes from the densities of all local elements, owned and then
 * ghosts, and the fractions of them that have it, with their centroids (octree/fraction.h); NULL
 * for both: all of each. A node's mass is added up along the curve: it has the same bits on any
 * number of ranks. No message is sent. */
void sn_nodal_masses(const sn_octree *tree, const double *density, const double *fraction,
                     const float (*centroid)[3], double *mass);

#endif
