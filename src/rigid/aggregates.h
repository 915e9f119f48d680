/* Which nodes move together on coarse levels whose unknowns can turn.
 *
 *      +-------+-------+      Nodes of a level are grouped by the element of a coarser level that
 *      | o o . | . o o |      contains them (here there are two), and within it by what joins them:
 *      | o o . | . o o |      two nodes are in one aggregate if a chain of elements inside the
 *      | o o o | o o o |      container leads from one to the other. Two parts of a body that only
 *      +-------+-------+      pass close by are two aggregates.
 *
 * A node is in the container of the last element along the curve that it belongs to: one place,
 * also where it is on the border of several. Pinned nodes are in no aggregate. Aggregates are
 * grouped in the same way by still coarser containers, joined by the same elements.
 *
 * An aggregate's name is the smallest key of its nodes, and its owner is who would own that key on
 * the container's level: nothing here depends on ranks but who has what. */
#ifndef SN_RIGID_AGGREGATES_H
#define SN_RIGID_AGGREGATES_H

#include "octree/element_exchange.h"
#include "octree/hierarchy.h"
#include "sparse/unknowns.h"

#define SN_NO_AGGREGATE UINT64_MAX

/* Grows coarser from one call to the next. */
typedef struct {
    sn_octree *tree;              /* the caller's: its nodes are grouped */
    sn_element_exchange elements; /* of the tree */
    sn_local *host;               /* of each owned node: its last element along the curve */
    sn_key *aggregate;            /* of each local node: the one that it is in now */
} sn_aggregates;

/* Collective. At first each free node is an aggregate by itself. After a failure there is nothing
 * to free. */
SN_CHECKED sn_status sn_aggregates_create(sn_octree *tree, const uint8_t *pinned,
                                          sn_aggregates *aggregates);
void sn_aggregates_free(sn_aggregates *aggregates);

/* Collective. Groups what there is by the elements of a coarser level, or, with a height, by the
 * octants of that height around these; `unknowns` become the new aggregates of this rank. For each
 * of the unknowns `before`, which are nodes of the tree or the aggregates of the last call,
 * `parent` becomes the aggregate that it is in. The caller frees keys and parents; there are none
 * after a failure. */
SN_CHECKED sn_status sn_aggregates_grow(sn_aggregates *aggregates, const sn_octree *coarser,
                                        int height, const sn_unknowns *before,
                                        sn_unknowns *unknowns, sn_key **parent);

#endif
