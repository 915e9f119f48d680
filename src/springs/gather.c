#include "springs/gather.h"

#include "base/sort.h"
#include "partition/records.h"

static sn_gathered_spring *own_springs(const sn_spring_set *set)
{
    sn_gathered_spring *own = SN_NEW_ZERO(sn_gathered_spring, set->n);
    const sn_spring_rows *rows = &set->home;
    for (sn_local place = 0; place < set->n; place++) {
        sn_local s = rows->row[place];
        const sn_spring_entry *entry = rows->entry + rows->first[place];
        own[s].number = set->number[s];
        own[s].n_nodes = rows->first[place + 1] - rows->first[place];
        for (sn_local k = 0; k < own[s].n_nodes; k++) {
            own[s].node[k] = set->node_key[entry[k].index];
            own[s].weight[k] = (double)entry[k].weight;
        }
        own[s].matrix = sn_spring_set_matrix(set, s);
    }
    return own;
}

typedef SN_VECTOR(sn_gathered_spring) spring_list;
typedef SN_VECTOR(int) rank_list;

/* A spring goes once to each rank that owns one of its nodes. */
static void address(const sn_owners *owners, const sn_gathered_spring *s, spring_list *sent,
                    rank_list *destination)
{
    size_t start = destination->count;
    for (sn_local k = 0; k < s->n_nodes; k++) {
        int owner = sn_owner_of(owners, s->node[k]);
        bool told = false;
        for (size_t d = start; d < destination->count; d++)
            told = told || destination->data[d] == owner;
        if (told)
            continue;
        sn_push(sent, *s);
        sn_push(destination, owner);
    }
}

sn_gathered_spring *sn_spring_set_gather(const sn_spring_set *set, size_t *n)
{
    sn_gathered_spring *own = own_springs(set);
    spring_list sent = {0};
    rank_list destination = {0};
    for (sn_local s = 0; s < set->n; s++)
        address(&set->tree->owners, &own[s], &sent, &destination);
    sn_inbox in =
        sn_records_send(set->tree->comm, sizeof *own, sent.data, destination.data, sent.count);
    sn_free(own);
    sn_vector_free(&sent);
    sn_vector_free(&destination);
    sn_gathered_spring *here = sn_inbox_take(&in, n);
    sn_sort_records(here, sizeof *here, *n);
    return here;
}
