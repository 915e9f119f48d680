#include "partition/owners.h"

#include <string.h>

sn_owners sn_owners_create(int n)
{
    return (sn_owners){.n = n, .first = SN_NEW_ZERO(sn_key, n), .rank = SN_NEW_ZERO(int, n)};
}

static sn_owners copy_of(const sn_owners *owners)
{
    sn_owners copy = sn_owners_create(owners->n);
    memcpy(copy.first, owners->first, (size_t)owners->n * sizeof *copy.first);
    memcpy(copy.rank, owners->rank, (size_t)owners->n * sizeof *copy.rank);
    return copy;
}

void sn_owners_free(sn_owners *owners)
{
    sn_free(owners->first);
    sn_free(owners->rank);
    *owners = (sn_owners){0};
}

sn_owners sn_owners_along_curve(const sn_owners *owners, int size)
{
    sn_owners along = copy_of(owners);
    bool ascending = true;
    for (int i = 1; i < owners->n; i++)
        ascending = ascending && owners->rank[i - 1] < owners->rank[i];
    for (int i = 0; i < owners->n && !ascending; i++)
        along.rank[i] = (int)((int64_t)i * size / owners->n);
    return along;
}

int sn_owners_interval(const sn_owners *owners, sn_key key)
{
    int low = 0, high = owners->n; /* first[low] <= key < first[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (owners->first[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void sn_rank_list_add(sn_rank_list *list, int rank)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i] == rank)
            return;
    sn_push(list, rank);
}

void sn_owners_of_span(const sn_owners *owners, sn_key key, int height, sn_rank_list *list)
{
    sn_key last = key + sn_key_span(height) - 1;
    for (int i = sn_owners_interval(owners, key); i < owners->n && owners->first[i] <= last; i++)
        sn_rank_list_add(list, owners->rank[i]);
}

/* Does one rank own every key of [first, last]? */
static bool owns_all(const sn_owners *owners, sn_key first, sn_key last, int rank)
{
    for (int i = sn_owners_interval(owners, first); i < owners->n && owners->first[i] <= last; i++)
        if (owners->rank[i] != rank)
            return false;
    return true;
}

bool sn_owners_cube_around_by(const sn_owners *owners, int body, const uint32_t low[3],
                              const uint32_t high[3], int rank)
{
    uint32_t differing = 0;
    for (int d = 0; d < 3; d++) {
        if (high[d] > SN_MAX_COORDINATE)
            return false;
        differing |= low[d] ^ high[d];
    }
    int height = differing ? 32 - __builtin_clz(differing) : 0;
    sn_key first = sn_key_ancestor(sn_key_of(body, low[0], low[1], low[2]), height);
    return owns_all(owners, first, first + sn_key_span(height) - 1, rank);
}
