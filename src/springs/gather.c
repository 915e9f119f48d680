#include "springs/gather.h"

#include "base/sort.h"
#include "partition/records.h"

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

sn_gathered_spring *sn_spring_set_gather(const sn_spring_set *set, MPI_Comm comm, size_t *n)
{
    sn_gathered_spring *own = own_springs(set);
    sn_inbox in = sn_records_gather(comm, sizeof *own, own, (size_t)set->n);
    sn_free(own);
    sn_gathered_spring *all = sn_inbox_take(&in, n);
    sn_sort_records(all, sizeof *all, *n);
    return all;
}
