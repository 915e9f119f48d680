/* Moving a level's octants to new owners. */
#ifndef SN_OCTREE_REPARTITION_H
#define SN_OCTREE_REPARTITION_H

#include "octree/octree.h"

/* What an octant costs: an element is worked on, a boundary node is only kept. */
enum { SN_ELEMENT_WEIGHT = 4, SN_BOUNDARY_NODE_WEIGHT = 1 };

/* Collective: cuts the curve into at most `parts` pieces of about equal weight. */
sn_owners sn_octree_split_curve(const sn_octree *tree, const sn_key *keys, int parts);

/* Collective. Takes over `owners` and the octants' `keys`; moves octants, hanging bytes and copies
 * of nodes. The tree must not be connected, and isn't afterwards. */
void sn_octree_repartition(sn_octree *tree, sn_key *keys, sn_owners owners);

#endif
