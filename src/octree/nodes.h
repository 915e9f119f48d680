/* Which corners hang, and which nodes must be added (sections 3.2, 5 and 6 of the paper).
 *
 * A corner of an element can hang only where its parent has no corner itself: in the middle
 * of one of the parent's edges or faces. It does hang if an element as large as the parent
 * touches it there from outside. Corners that do not hang are nodes. Most are the anchor of
 * some element; the others, on the far boundary, are returned to become octants of their
 * own.
 *
 * Near leaves that are apart (bonds.h) all of this holds for each group of joined copies by itself
 * (corners.h): a place may have several nodes, and a corner hangs only on what it is joined to. */
#ifndef SN_OCTREE_NODES_H
#define SN_OCTREE_NODES_H

#include "octree/bonds.h"

typedef struct {
    uint8_t *hanging; /* for each leaf: bit c is set if corner c hangs */
    uint8_t *is_node; /* each: is there a node of the same place and copy? */
    sn_key *boundary; /* nodes that are no element's anchor, on their owners, ascending */
    size_t n_boundary;
    int64_t n_hanging; /* this rank's share of the distinct hanging points */

    bool has_copies;    /* of leaves or nodes, on any rank: */
    uint8_t (*copy)[8]; /* each leaf's conforming nodes: their copies */
} sn_nodes;

/* Collective. The leaves are places, balanced and on the ranks that own them; they become copies.
 * Without bonds (NULL) all that touches is joined. */
SN_CHECKED sn_status sn_nodes_find(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                                   const sn_bonds *bonds, sn_leaves *leaves, sn_nodes *nodes);
void sn_nodes_free(sn_nodes *nodes);

#endif
