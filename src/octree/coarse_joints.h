/* From the copies and bonds of one level to those of the next coarser one.
 *
 *      +---+---+      The material of a coarse element is that of the finer ones in it. Those that
 *      | a :   |      are joined, one after another inside it, are one copy: here there are two.
 * Two
 *      |---+---|      coarse copies are joined where finer ones are, across the face between them.
 *      |   : b |
 *      +---+---+      So nothing that only passes by is moved along with it, on any level. */
#ifndef SN_OCTREE_COARSE_JOINTS_H
#define SN_OCTREE_COARSE_JOINTS_H

#include "octree/octree.h"

/* Collective. `coarse` are the places of the coarser level's leaves, on `owners`; their joints are
 * found. The finer level comes to know which copy of a coarse leaf each of its elements is part of,
 * and forgets its bonds. */
SN_CHECKED sn_status sn_coarse_joints_find(sn_octree *fine, const sn_owners *owners,
                                           const sn_leaves *coarse, sn_joints *joints);

#endif
