/* p4est beside our own octree, where the build found it. */
#ifndef SN_BENCH_P4EST_H
#define SN_BENCH_P4EST_H

#include <mpi.h>
#include <stdint.h>

/* Collective. The seconds that p4est takes for balance, ghosts and nodes of a unit cube refined
 * to `level` at its sides, and its number of leaves; NAN where p4est is not built in. */
double sn_bench_p4est(MPI_Comm comm, int level, int64_t *leaves);

#endif
