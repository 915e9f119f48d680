/* Boxes that ranks show each other, and Embree scenes of things with boxes.
 *
 * A rank's things are cut into at most SN_SELF_MOST_BLOCKS blocks of consecutive ones; all ranks
 * know all blocks' boxes. So a rank can tell who may have something in some place, without
 * knowing what it is. */
#ifndef SN_CONTACT_SELF_BLOCKS_H
#define SN_CONTACT_SELF_BLOCKS_H

#include "mesh/embree.h"
#include "partition/records.h"

#include <stdbool.h>

enum { SN_SELF_MOST_BLOCKS = 32 };

typedef struct {
    size_t *first; /* ranks + 1: where each rank's boxes start */
    sn_box *box;
    sn_inbox shared; /* what these two are of */
    sn_box *whole;   /* of each rank: around all its boxes; empty (min > max) without any */
} sn_self_blocks;

/* Collective. The boxes of n things, the first of them at `boxes`, stand `stride` bytes apart. */
sn_self_blocks sn_self_blocks_share(MPI_Comm comm, const void *boxes, size_t stride, size_t n);
void sn_self_blocks_free(sn_self_blocks *blocks);

bool sn_self_boxes_meet(const sn_box *a, const sn_box *b);

/* Does one of rank a's boxes meet one of rank b's? */
bool sn_self_blocks_meet(const sn_self_blocks *blocks, int a, int b);
bool sn_self_box_meets_rank(const sn_self_blocks *blocks, const sn_box *box, int rank);

/* A scene of n things, to be built anew for each search. `data` is what the function gets. */
RTCScene sn_self_scene(RTCDevice device, void *data, size_t n, RTCBoundsFunction bounds);

/* Whether Embree found what it was asked for. */
SN_CHECKED sn_status sn_self_embree_status(void);

#endif
