/* One level of the hierarchy: a distributed, incomplete, 2:1-balanced linear octree.
 *
 * A rank has its owned octants in one array along the curve, elements and boundary nodes
 * together, and besides them the ghosts that its work needs:
 *
 *   elements  0 .. n_elements-1 are the owned ones in the order of the octants; after them
 *             come the ghost elements: those of other ranks that contribute to a node of
 *             this one, along the curve. With them a rank can add up every contribution to
 *             its nodes itself, in the order of the whole curve.
 *   nodes     0 .. n_nodes-1 are the owned ones in the order of the octants; after them come
 *             the ghost nodes: the conforming nodes of local elements that others own,
 *             grouped by owner. `exchange` fills their values.
 *
 * The element and node numbers of an octant are how many such octants stand before it. Copies of an
 * octant (bonds.h) are elements of their own. Nodes at one place have copies, too: an octant's node
 * and its element have the same place and copy number, and nothing else in common where there are
 * several. Which nodes an element has is in `conforming`, and there only. */
#ifndef SN_OCTREE_OCTREE_H
#define SN_OCTREE_OCTREE_H

#include "base/index.h"
#include "octree/body.h"
#include "octree/bonds.h"
#include "partition/exchange.h"
#include "partition/ghost.h"
#include "partition/owners.h"
#include "partition/settings.h"

typedef struct {
    MPI_Comm comm;           /* the caller's */
    const sn_bodies *bodies; /* the caller's */
    sn_owners owners;

    sn_local n_octants, n_elements, n_nodes, n_boundary_nodes;
    sn_octant *octant;
    sn_local *body_first; /* bodies + 1: where each body's octants start */
    int64_t n_hanging;    /* this rank's share of the distinct hanging points */

    sn_local n_ghost_elements, n_ghost_nodes;
    sn_ghost *ghost_element;
    sn_key *ghost_node;

    uint8_t *hanging;          /* a byte for each local element: bit c, corner c hangs */
    sn_local (*conforming)[8]; /* for each local element: its conforming nodes */
    sn_exchange exchange;      /* of nodal values */

    bool has_copies;      /* of elements or nodes, on any rank */
    uint8_t *coarse_copy; /* of owned elements: copy of the coarser element that they are part of;
                           * NULL if the coarser level has no copies, or there is none */
    uint8_t (
        *node_copy)[8]; /* of owned elements: copies of their conforming nodes. While it is made */
    sn_bond_list bonds; /* of the owned elements that are apart, until it has been coarsened */
} sn_octree;

/* Collective. Makes the octree of balanced leaves that lie on their owners; leaves, joints and
 * owners are taken over. The octants are spread over at most `parts` ranks. */
SN_CHECKED sn_status sn_octree_create(MPI_Comm comm, const sn_bodies *bodies, sn_owners owners,
                                      sn_leaves leaves, sn_joints joints, int parts,
                                      sn_partition_method method, sn_octree *tree);
void sn_octree_free(sn_octree *tree);

/* The body that an owned octant belongs to. */
int sn_octree_body_of(const sn_octree *tree, sn_local octant);

/* Keys of the owned octants; of owned and ghost nodes in node order; the caller frees them. */
sn_key *sn_octree_octant_keys(const sn_octree *tree);
sn_key *sn_octree_node_keys(const sn_octree *tree);

/* Keys and heights of all local elements, owned first; the caller frees them. */
sn_leaves sn_octree_elements(const sn_octree *tree);

/* Bytes that this rank holds for the topology of the level. */
size_t sn_octree_memory(const sn_octree *tree);

typedef struct {
    int64_t octants, elements, nodes, hanging_nodes, boundary_nodes;
} sn_octree_counts;

/* Collective: over all ranks. */
sn_octree_counts sn_octree_count(const sn_octree *tree);

/* Collective: a hash of octants, hanging corners and conforming nodes that does not depend on
 * the partition. */
uint64_t sn_octree_digest(const sn_octree *tree);

/* Collective: is everything that this header promises true? Slow, for tests and debug builds;
 * the first rule that is broken is the message of the failure. */
SN_CHECKED sn_status sn_octree_check(const sn_octree *tree);

#endif
