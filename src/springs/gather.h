/* All springs of a small level on every rank, for the exact solve on the coarsest level. */
#ifndef SN_SPRINGS_GATHER_H
#define SN_SPRINGS_GATHER_H

#include "springs/springs.h"

typedef struct {
    uint64_t number;
    sn_local n_nodes;
    sn_local padding;
    sn_key node[SN_SPRING_NODES];
    double weight[SN_SPRING_NODES];
    sn_spring_matrix matrix;
} sn_gathered_spring;

/* Collective over `comm`, which has all ranks that own elements of the level. By number; the
 * caller frees them. */
sn_gathered_spring *sn_spring_set_gather(const sn_spring_set *set, MPI_Comm comm, size_t *n);

#endif
