/* Cutting the curve by weight: consecutive octants, about equal weight for each rank. */
#ifndef SN_PARTITION_SPLIT_H
#define SN_PARTITION_SPLIT_H

#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* Collective. The keys must already lie along the curve by rank (all of rank r before all
 * of rank r+1, ascending, copies together on one rank). The curve is cut into at most `parts`
 * intervals, given to ranks spread evenly over the communicator. Copies of an octant stay
 * together. */
sn_owners sn_split_by_weight(MPI_Comm comm, const sn_key *keys, const uint8_t *weight, size_t n,
                             int parts);

/* Not collective: the same for a curve that is all here, as `size` ranks would cut it. */
sn_owners sn_split_whole_by_weight(const sn_key *keys, const uint8_t *weight, size_t n, int parts,
                                   int size);

#endif
