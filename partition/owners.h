/* Who would own a key: the curve cut into intervals, each with its rank.
 *
 * Along the curve there is one interval a rank; a ParMETIS partition has many. The table
 * tells who *would* own a key, not that an octant exists there: the tree is incomplete, so
 * existence is for the owner to say. Ranks without octants own no interval.
 *
 *     first:  0        k1          k2     k3
 *             |--------|-----------|------|----------...
 *     rank:   0        1           0      2              */
#ifndef SN_PARTITION_OWNERS_H
#define SN_PARTITION_OWNERS_H

#include "base/array.h"
#include "curve/octant.h"

typedef struct {
    int n;         /* intervals, at least one */
    sn_key *first; /* ascending, first[0] = 0 */
    int *rank;
} sn_owners;

sn_owners sn_owners_create(int n);
void sn_owners_free(sn_owners *owners);

/* The same intervals given to ranks in ascending order, as evenly as their number allows. An
 * ascending table is returned as it is. */
sn_owners sn_owners_along_curve(const sn_owners *owners, int size);

/* The interval that holds a key. */
int sn_owners_interval(const sn_owners *owners, sn_key key);

static inline int sn_owner_of(const sn_owners *owners, sn_key key)
{
    return owners->rank[sn_owners_interval(owners, key)];
}

typedef SN_VECTOR(int) sn_rank_list;

/* Adds a rank to a list, once. */
void sn_rank_list_add(sn_rank_list *list, int rank);

/* Adds the ranks that own keys of the run which an octant of this height covers. */
void sn_owners_of_span(const sn_owners *owners, sn_key key, int height, sn_rank_list *list);

/* Does one rank own the whole smallest aligned cube that holds the cells from `low` to `high`?
 * Where that cube reaches beyond the last coordinate the answer is no. */
bool sn_owners_cube_around_by(const sn_owners *owners, int body, const uint32_t low[3],
                              const uint32_t high[3], int rank);

#endif
