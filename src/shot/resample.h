/* The nodes' state on one octree as that on another octree of the same bodies.
 *
 *      +-------+       A node n of the new octree is a corner of an element there. The element of
 *      |       |       the old one that has this corner tells where it is and how it moves: values
 *      |   n - |- -    of its own nodes, interpolated. A node that both octrees have, as all do if
 *      +---|---+       only the partition changed, keeps every bit.
 *          |
 *
 * Where the old octree has no element, positions keep their offset at rest from the element that a
 * point there follows (octree/locate.h), and its velocity. */
#ifndef SN_SHOT_RESAMPLE_H
#define SN_SHOT_RESAMPLE_H

#include "base/status.h"
#include "solve/state.h"

/* Collective on the communicator that both octrees have. Ghosts of `from` are filled. */
SN_CHECKED sn_status sn_resample(const sn_state *from, sn_octree *from_tree, const sn_octree *tree,
                                 sn_state *state);

#endif
