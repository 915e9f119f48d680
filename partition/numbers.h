/* Numbers along the whole curve, which don't depend on who has what: for rows of files. */
#ifndef SN_PARTITION_NUMBERS_H
#define SN_PARTITION_NUMBERS_H

#include "curve/octant.h"

#include <mpi.h>
#include <stddef.h>

/* Collective. `number` becomes how many distinct keys of all ranks stand before each of this
 * rank's `key`, which may come in any order and may be other ranks' as well. Returns how many
 * distinct keys there are everywhere. */
int64_t sn_number_along_curve(MPI_Comm comm, const sn_key *key, size_t n, int64_t *number);

#endif
