#include "partition/finder.h"

#include "base/array.h"
#include "base/sort.h"

#include <string.h>

sn_finder sn_finder_create(const sn_key *own_keys, size_t n_own, const sn_key *ghosts,
                           size_t n_ghosts)
{
    sn_finder f = {.n_own = (sn_local)n_own,
                   .ghost_keys = SN_NEW(sn_key, n_ghosts),
                   .ghost_order = SN_NEW(uint32_t, n_ghosts)};
    if (n_ghosts)
        memcpy(f.ghost_keys, ghosts, n_ghosts * sizeof(sn_key));
    sn_sort_keys_with_order(f.ghost_keys, f.ghost_order, n_ghosts);
    f.own = sn_lookup_create(own_keys, n_own);
    f.ghosts = sn_lookup_create(f.ghost_keys, n_ghosts);
    return f;
}

void sn_finder_free(sn_finder *f)
{
    sn_lookup_free(&f->own);
    sn_lookup_free(&f->ghosts);
    sn_free(f->ghost_keys);
    sn_free(f->ghost_order);
    *f = (sn_finder){0};
}
