/* Leaves under construction: elements as keys and heights, along the curve, before nodes and
 * flags make octants of them. */
#ifndef SN_OCTREE_LEAVES_H
#define SN_OCTREE_LEAVES_H

#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>

typedef struct {
    sn_key *key;
    uint8_t *height;
    size_t n, capacity;
} sn_leaves;

void sn_leaves_push(sn_leaves *leaves, sn_key key, int height);
void sn_leaves_free(sn_leaves *leaves);

/* Two ascending lists into one; both are taken over. */
sn_leaves sn_leaves_merge(sn_leaves a, sn_leaves b);

/* Collective. Brings each leaf to the rank that owns its key. */
sn_leaves sn_leaves_to_owners(MPI_Comm comm, const sn_owners *owners, sn_leaves leaves);

#endif
