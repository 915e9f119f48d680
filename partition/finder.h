/* Local numbers by key, in the order that an exchange keeps values: own entries first, then the
 * ghosts, grouped by owner. Walks along the curve find their keys in the cache (curve/lookup.h). */
#ifndef SN_PARTITION_FINDER_H
#define SN_PARTITION_FINDER_H

#include "curve/lookup.h"

typedef struct {
    sn_lookup own, ghosts;
    sn_key *ghost_keys;    /* ascending */
    uint32_t *ghost_order; /* which ghost each of them is */
    sn_local n_own;
} sn_finder;

/* `own_keys` ascend; ghosts come in any order without duplicates. Both may go away afterwards. */
sn_finder sn_finder_create(const sn_key *own_keys, size_t n_own, const sn_key *ghosts,
                           size_t n_ghosts);
void sn_finder_free(sn_finder *finder);

/* What one thread remembers of its last searches; empty to begin with. */
typedef struct {
    sn_lookup_memory own, ghosts;
} sn_finder_memory;

/* The local number of a key, or SN_NONE. */
static inline sn_local sn_finder_find(const sn_finder *f, sn_finder_memory *memory, sn_key key)
{
    sn_local at = sn_lookup_find(&f->own, &memory->own, key);
    if (at != SN_NONE)
        return at;
    at = sn_lookup_find(&f->ghosts, &memory->ghosts, key);
    return at == SN_NONE ? SN_NONE : f->n_own + (sn_local)f->ghost_order[at];
}

#endif
