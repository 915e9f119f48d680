/* ParMETIS over blocks of octants: a graph in, a part for each block out.
 *
 * A build option: without the library, and whenever it fails or leaves a part empty, the
 * answer is "no" and the caller stays on the curve. */
#ifndef SN_PARTITION_PARMETIS_H
#define SN_PARTITION_PARMETIS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* This rank's blocks, numbered globally from `first` on, ascending by rank. */
typedef struct {
    int64_t first, total;
    int n;
    int64_t *weight;
    int64_t *neighbour_first; /* n + 1 */
    int64_t *neighbour;       /* global numbers, ascending for each block */
    int64_t *shared;          /* how many nodes an edge stands for */
} sn_block_graph;

/* Collective. Fills part[i], 0 .. parts-1, for each of this rank's blocks. False, on all
 * ranks, with the reason, if there is no usable answer. */
bool sn_parmetis_partition(MPI_Comm comm, const sn_block_graph *graph, int parts, int *part,
                           const char **reason);

void sn_block_graph_free(sn_block_graph *graph);

#endif
