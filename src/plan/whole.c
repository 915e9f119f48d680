#include "plan/whole.h"

#include "base/array.h"

#include <string.h>

/* How many of something each rank has, and where they start; on rank 0 only. */
typedef struct {
    int *count, *first;
} shares;

static shares shares_of(MPI_Comm comm, int mine)
{
    int size;
    MPI_Comm_size(comm, &size);
    shares s = {SN_NEW(int, size), SN_NEW(int, size)};
    MPI_Gather(&mine, 1, MPI_INT, s.count, 1, MPI_INT, 0, comm);
    int rank, first = 0;
    MPI_Comm_rank(comm, &rank);
    for (int r = 0; r < size && rank == 0; r++) {
        s.first[r] = first;
        first += s.count[r];
    }
    return s;
}

/* Entries of `bytes` bytes of all ranks, one after the other, on rank 0. */
static void gather(MPI_Comm comm, const void *mine, sn_local n, size_t bytes, void *all)
{
    MPI_Datatype entry;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &entry);
    MPI_Type_commit(&entry);
    shares s = shares_of(comm, n);
    MPI_Gatherv(mine, n, entry, all, s.count, s.first, entry, 0, comm);
    MPI_Type_free(&entry);
    sn_free(s.count);
    sn_free(s.first);
}

/* The numbers along the curve of a rank's own nodes and of its ghosts. */
static sn_local *node_numbers(const sn_octree *level)
{
    int rank;
    MPI_Comm_rank(level->comm, &rank);
    sn_local before = 0;
    MPI_Exscan(&level->n_nodes, &before, 1, MPI_INT32_T, MPI_SUM, level->comm);
    if (rank == 0)
        before = 0; /* MPI leaves it undefined there */
    sn_local *number = SN_NEW(sn_local, level->n_nodes + level->n_ghost_nodes);
    for (sn_local n = 0; n < level->n_nodes; n++)
        number[n] = before + n;
    sn_exchange exchange = level->exchange; /* with a buffer of its own: the level stays as it is */
    exchange.buffer = NULL;
    exchange.buffer_bytes = 0;
    sn_exchange_begin(&exchange, number, sizeof *number);
    sn_exchange_end(&exchange);
    sn_free(exchange.buffer);
    return number;
}

/* Some ranks may have none; if no rank has any, there is no array. */
static void gather_coarse_copies(const sn_octree *level, int rank, sn_octree *tree)
{
    int any = level->coarse_copy != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, level->comm);
    if (!any)
        return;
    uint8_t *copy = SN_NEW_ZERO(uint8_t, level->n_elements);
    if (level->coarse_copy && level->n_elements)
        memcpy(copy, level->coarse_copy, (size_t)level->n_elements);
    if (rank == 0)
        tree->coarse_copy = SN_NEW(uint8_t, tree->n_elements);
    gather(level->comm, copy, level->n_elements, sizeof *copy, tree->coarse_copy);
    sn_free(copy);
}

static void gather_arrays(const sn_octree *level, const sn_octree_counts *counts, sn_octree *tree)
{
    int rank;
    MPI_Comm_rank(level->comm, &rank);
    if (rank == 0) {
        tree->n_octants = (sn_local)counts->octants;
        tree->n_elements = (sn_local)counts->elements;
        tree->n_nodes = (sn_local)counts->nodes;
        tree->n_boundary_nodes = (sn_local)counts->boundary_nodes;
        tree->octant = SN_NEW(sn_octant, tree->n_octants);
        tree->conforming = SN_NEW(sn_local[8], tree->n_elements);
    }
    gather(level->comm, level->octant, level->n_octants, sizeof *level->octant, tree->octant);
    sn_local *number = node_numbers(level);
    sn_local(*conforming)[8] = SN_NEW(sn_local[8], level->n_elements);
    for (sn_local e = 0; e < level->n_elements; e++)
        for (int corner = 0; corner < 8; corner++)
            conforming[e][corner] = number[level->conforming[e][corner]];
    sn_free(number);
    gather(level->comm, conforming, level->n_elements, sizeof *conforming, tree->conforming);
    sn_free(conforming);
    gather_coarse_copies(level, rank, tree);
    /* A body's octants are together on the curve: counts of all ranks add up to where they end. */
    tree->body_first = SN_NEW(sn_local, level->bodies->n + 1);
    MPI_Reduce(level->body_first, tree->body_first, level->bodies->n + 1, MPI_INT32_T, MPI_SUM, 0,
               level->comm);
}

sn_status sn_whole_level_gather(const sn_octree *level, sn_whole_level *whole)
{
    int size;
    MPI_Comm_size(level->comm, &size);
    *whole = (sn_whole_level){.tree = {.comm = level->comm, .bodies = level->bodies},
                              .borrowed = size == 1};
    if (whole->borrowed) {
        whole->tree = *level;
        return SN_OK;
    }
    sn_octree_counts counts = sn_octree_count(level);
    if (counts.octants > SN_LOCAL_MAX)
        return SN_FAIL(SN_MACHINE, "plan: a level of %lld octants is too large to be cut here",
                       (long long)counts.octants);
    gather_arrays(level, &counts, &whole->tree);
    return SN_OK;
}

void sn_whole_level_free(sn_whole_level *whole)
{
    if (!whole->borrowed) {
        sn_free(whole->tree.octant);
        sn_free(whole->tree.conforming);
        sn_free(whole->tree.coarse_copy);
        sn_free(whole->tree.body_first);
    }
    *whole = (sn_whole_level){0};
}
