/* A level cut for any number of ranks, without that many processes.
 *
 * The cuts are those of partition/split.h, and a part's ghosts those of octree/octree.h: what is
 * counted here is what a run on so many ranks has. What a part's topology and operator hold is
 * asked of the code itself, on a view of the part. */
#ifndef SN_PLAN_PARTS_H
#define SN_PLAN_PARTS_H

#include "elastic/law.h"
#include "octree/octree.h"

/* What one rank has of a level. */
typedef struct {
    int64_t octants, elements, nodes;
    int64_t finest_elements; /* of the smallest size: those that surfaces pass through */
    int64_t ghost_elements, ghost_nodes;
    int64_t sent_nodes, sent_elements; /* ghosts that others have of this rank's */
    int64_t sends, receives;           /* ranks that it sends nodes to, or gets some from */
    int64_t neighbours;                /* either */
    int64_t bytes;                     /* of topology, exchanges and operator */
} sn_part;

typedef struct {
    int parts, size;      /* at most so many parts are spread over so many ranks */
    bool has_operator;    /* false: bytes are those of the topology alone */
    sn_law_kind law;      /* of the operator */
    bool single;          /* the operator has single precision, too */
    bool keeps_gradients; /* values of this level's elements go from rank to rank */
    int threads;          /* of each rank */
} sn_cut;

/* Not collective. Fills size entries, one for each rank. */
void sn_cut_level(const sn_octree *whole, const sn_cut *cut, sn_part *rank);

#endif
