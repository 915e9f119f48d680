/* Sorting keys over all ranks along the curve, duplicates removed: a sample sort. */
#ifndef SN_PARTITION_SORT_H
#define SN_PARTITION_SORT_H

#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>

/* Collective. Takes over `keys` (any order, duplicates welcome), returns this rank's sorted
 * part and its length in *n; `owners` becomes the intervals that the parts lie in, about
 * equally long. The parts depend on the number of ranks, their union does not. */
sn_key *sn_sort_along_curve(MPI_Comm comm, sn_key *keys, size_t *n, sn_owners *owners);

/* Collective. The same for intervals that are given: equal keys of several ranks meet on the
 * rank that owns them, once. */
sn_key *sn_unique_on_owners(MPI_Comm comm, const sn_owners *owners, sn_key *keys, size_t *n);

#endif
