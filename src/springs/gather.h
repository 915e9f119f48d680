/* Springs as rows of a matrix, for who assembles it: on the ranks that own their nodes. */
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

/* Collective. All springs that hang on a node of this rank, by number; the caller frees them. */
sn_gathered_spring *sn_spring_set_gather(const sn_spring_set *set, size_t *n);

#endif
