/* Ghost octants: the elements of other ranks that touch mine.
 *
 * Each rank offers its elements to every rank that owns a part of the 26 neighbour regions
 * around them. Nobody asks, so holes in the tree on a rank boundary cost nothing and need no
 * answer. What arrives is a superset of what touches: a region may be owned but empty. */
#ifndef SN_PARTITION_GHOST_H
#define SN_PARTITION_GHOST_H

#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>

typedef struct {
    sn_key key;
    uint8_t height;
} sn_ghost;

/* Collective. `root_height` gives the root cube of each body. Returns the ghosts of this
 * rank along the curve, and their number in *n_ghosts. */
sn_ghost *sn_ghosts_of_elements(MPI_Comm comm, const sn_owners *owners, const uint8_t *root_height,
                                const sn_key *keys, const uint8_t *height, size_t n,
                                size_t *n_ghosts);

#endif
