/* Lumped masses of nodes.
 *
 * An element gives an eighth of its mass to each of its corners, and a corner that hangs hands
 * its share on to the nodes it hangs between, with the weights of their interpolation: W
 * transposed times equal shares. So nothing is lost, and the centre of mass of whole cells stays
 * where it is. A node that only touches what is outside has no mass. */
#ifndef SN_MODEL_MASSES_H
#define SN_MODEL_MASSES_H

#include "octree/octree.h"

/* Fills the masses of the owned nodes from the densities of all local elements, owned and then
 * ghosts, and the fractions of them that have it; NULL: all of each. A node's mass is added up
 * along the curve: it has the same bits on any number of ranks. No message is sent. */
void sn_nodal_masses(const sn_octree *tree, const double *density, const double *fraction,
                     double *mass);

#endif
