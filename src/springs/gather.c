#include "springs/gather.h"

#include "base/sort.h"

static sn_gathered_spring *own_springs(const sn_spring_set *set)
{
    sn_gathered_spring *own = SN_NEW_ZERO(sn_gathered_spring, set->n);
    const sn_spring_rows *rows = &set->home;
    for (sn_local s = 0; s < set->n; s++) {
        own[s].number = set->spring[s].number;
        own[s].n_nodes = rows->first[s + 1] - rows->first[s];
        for (sn_local k = 0; k < own[s].n_nodes; k++) {
            own[s].node[k] = set->node_key[rows->index[rows->first[s] + k]];
            own[s].weight[k] = rows->weight[rows->first[s] + k];
        }
        own[s].matrix = set->matrix[s];
    }
    return own;
}

sn_gathered_spring *sn_spring_set_gather(const sn_spring_set *set, MPI_Comm comm, int *n)
{
    int size;
    MPI_Comm_size(comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size);
    MPI_Allgather(&set->n, 1, MPI_INT, counts, 1, MPI_INT, comm);
    *n = 0;
    for (int r = 0; r < size; r++) {
        starts[r] = *n;
        *n += counts[r];
    }
    MPI_Datatype type;
    MPI_Type_contiguous(sizeof(sn_gathered_spring), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    sn_gathered_spring *own = own_springs(set), *all = SN_NEW(sn_gathered_spring, *n);
    MPI_Allgatherv(own, set->n, type, all, counts, starts, type, comm);
    MPI_Type_free(&type);
    sn_sort_records(all, sizeof *all, (size_t)*n);
    sn_free(own);
    sn_free(counts);
    sn_free(starts);
    return all;
}
