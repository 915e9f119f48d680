/* The nodes' state on one octree as that on another octree of the same bodies.
 *
 *      +-------+       A node n of the new octree is a corner of an element there. The element of
 *      |       |       the old one that has this corner tells where it is and how it moves: values
 *      |   n - |- -    of its own nodes, interpolated. A node that both octrees have, as all do if
 *      +---|---+       only the partition changed, keeps every bit.
 *          |
 *
 * A node belongs to what its element holds of the body, not to whatever is at its place: where the
 * old element has copies (octree/bonds.h), that of the part answers which the material of the new
 * one is in or next to (its centroid; the middle of cells that count as whole ones). On the same
 * grid the copies are the same.
 *
 * Where the old octree has no element, positions keep their offset at rest from the element that a
 * point there follows (octree/locate.h), and its velocity. */
#ifndef SN_SHOT_RESAMPLE_H
#define SN_SHOT_RESAMPLE_H

#include "model/model.h"
#include "solve/state.h"

/* Collective on the communicator that both models have. Ghosts of `from` are filled. */
SN_CHECKED sn_status sn_resample(const sn_state *from, sn_model *from_model, const sn_model *model,
                                 sn_state *state);

#endif
