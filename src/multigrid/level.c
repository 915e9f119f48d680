#include "multigrid/level.h"

#include "base/array.h"
#include "base/threads.h"

#include <string.h>

sn_local sn_level_reals(const sn_multigrid_level *v)
{
    return v->system ? sn_field_reals(v->system->tree) : v->rigid->reals * v->rigid->unknowns.n;
}

int sn_level_block(const sn_multigrid_level *v)
{
    return v->system ? SN_NODE_REALS : v->rigid->reals;
}

const float *sn_level_inverse_diagonal(const sn_multigrid_level *v)
{
    return v->system ? v->system->inverse_diagonal : v->rigid->inverse_diagonal;
}

sn_key *sn_level_keys(const sn_multigrid_level *v)
{
    if (v->system)
        return sn_octree_node_keys(v->system->tree);
    sn_key *keys = SN_NEW(sn_key, v->rigid->unknowns.n);
    if (v->rigid->unknowns.n)
        memcpy(keys, v->rigid->unknowns.key, (size_t)v->rigid->unknowns.n * sizeof *keys);
    return keys;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static const sn_multigrid_level *finer_than(const sn_multigrid *mg, int l)
{
    const sn_multigrid_level *v = &mg->level[l];
    return &mg->level[sn_multigrid_at(mg, v->group, v->depth - 1)];
}

/* Of what is multiplied on the way to the next level, and on the way back to the finer one. */
static size_t room_of_transfers(const sn_multigrid *mg, int l)
{
    const sn_multigrid_level *v = &mg->level[l];
    size_t reals = 0;
    if (v->transfer)
        reals = SN_NODE_REALS * (size_t)sn_transfer_room_fine_nodes(v->transfer);
    else if (v->rigid)
        reals = sn_sparse_room(&v->rigid->restriction);
    if (l == 0)
        return reals;
    const sn_multigrid_level *finer = finer_than(mg, l);
    return larger(reals,
                  v->system ? SN_NODE_REALS * (size_t)sn_transfer_room_coarse_nodes(finer->transfer)
                            : sn_sparse_room(&finer->rigid->prolongation));
}

size_t sn_level_room(const sn_multigrid *mg, int l)
{
    const sn_multigrid_level *v = &mg->level[l];
    size_t nodes = 0;
    if (v->system)
        nodes = (size_t)v->system->tree->n_nodes + (size_t)v->system->tree->n_ghost_nodes;
    size_t own = v->system ? SN_NODE_REALS * nodes : sn_sparse_room(&v->rigid->matrix);
    return larger(own, room_of_transfers(mg, l)) + SN_FIELD_SLACK;
}

#define SN_PRECISION 32
#include "multigrid/level.inc"
#define SN_PRECISION 64
#include "multigrid/level.inc"
