/* In which order elements are worked on, and how their shares meet at the nodes (section 9).
 *
 * A node's shares are always added in the order of the global curve: the same bits on any number
 * of ranks and threads. Elements are worked on in three lists, by groups of SN_GROUP lanes:
 *
 *   early   own elements whose nodes are all here, along the curve, in one run of groups for
 *           each thread; they fit between the begin and the end of the exchange
 *   late    elements that need a ghost node, and the ghost elements, along the curve
 *
 * A node that only one run of early elements touches gets its shares directly: the run adds them
 * along the curve. All other nodes (between two runs, or touched by a late element) are seams:
 * every share has a slot of its own, and once all are there the slots of a node are added along
 * the curve. Nothing is computed twice but the ghost elements, and no two threads ever write to
 * the same place. (The paper's blocks recompute the elements around each block instead.)
 *
 * Knows only topology; operator.h does the arithmetic. */
#ifndef SN_ELASTIC_ASSEMBLY_H
#define SN_ELASTIC_ASSEMBLY_H

#include "elastic/batch.h"
#include "octree/octree.h"

enum {
    SN_GROUP = SN_LANES_F32,    /* lanes: one batch in single, two in double precision */
    SN_LEAST_GROUPS_A_RUN = 16, /* shorter runs have too many seams */
    SN_EMPTY_LANE = SN_NONE,    /* in `order` */
    SN_NOWHERE = SN_NONE,       /* a target: another rank's node */
};

typedef struct {
    const sn_octree *tree;
    sn_local n_groups, n_early_groups;
    sn_local *order; /* SN_GROUP lanes a group: local element or SN_EMPTY_LANE */
    int n_runs;
    sn_local *run; /* n_runs + 1: first group of each run of early groups */

    sn_local *seam_group;            /* for each group: its row of targets, or SN_NONE */
    sn_local (*target)[SN_GROUP][8]; /* slot: n_nodes + slot; or a node; or SN_NOWHERE */
    sn_local n_seams, n_slots;
    sn_local *seam_node;  /* owned nodes that are seams */
    sn_local *seam_first; /* n_seams + 1: their slots */
    uint8_t *child;       /* of each local element: which child of its parent, as sn_lanes has it */
    uint8_t *hanging;     /* and which corners hang, counted so */
} sn_assembly;

/* Not collective. Elements of bodies that are `left_out`, if that is given, are in no list. `runs`
 * is the number of threads that will work; the tree must stay. */
sn_assembly sn_assembly_create(const sn_octree *tree, const uint8_t *left_out, int runs);
void sn_assembly_free(sn_assembly *assembly);
size_t sn_assembly_memory(const sn_assembly *assembly);

/* Are there elements that wait for ghosts? */
static inline bool sn_assembly_has_late(const sn_assembly *a)
{
    return a->n_groups > a->n_early_groups;
}

/* Some elements for the kernels, at most `most` and none behind an empty lane; the copies live in
 * `room`. Returns how many there are. */
typedef struct {
    sn_local node[SN_GROUP][8];
    uint8_t hanging[SN_GROUP], child[SN_GROUP];
} sn_lane_room;

static inline int sn_lanes_of(const sn_assembly *a, const sn_local *element, int most,
                              sn_lane_room *room, sn_lanes *lanes)
{
    int count = element[most - 1] != SN_EMPTY_LANE ? most : 0;
    int all = most > SN_LANES_F64 ? SN_LANES_F32 : SN_LANES_F64;
    while (count < most && element[count] != SN_EMPTY_LANE)
        count++;
    if (count == 0)
        return 0;
#pragma GCC unroll 1 /* what is written here is read as scalars: better from memory */
    for (int lane = 0; lane < all; lane++) {
        sn_local e = element[lane < count ? lane : 0];
        room->child[lane] = a->child[e];
        room->hanging[lane] = a->hanging[e];
        sn_flip_eight(a->tree->conforming[e], a->child[e], room->node[lane]);
    }
    *lanes = (sn_lanes){.node = (const sn_local(*)[8])room->node,
                        .hanging = room->hanging,
                        .child = room->child,
                        .count = count};
    return count;
}

/* The same of a group's lanes from `lane` on. */
static inline int sn_assembly_lanes(const sn_assembly *a, sn_local group, int lane, int most,
                                    sn_lane_room *room, sn_lanes *lanes)
{
    const sn_local *element = a->order + (size_t)group * SN_GROUP + (size_t)lane;
    return sn_lanes_of(a, element, most, room, lanes);
}

#endif
