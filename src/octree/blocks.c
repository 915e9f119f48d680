#include "octree/blocks.h"

#include "base/array.h"
#include "base/log.h"
#include "base/sort.h"
#include "base/timer.h"
#include "octree/connect.h"
#include "octree/repartition.h"
#include "partition/parmetis.h"
#include "partition/records.h"

#include <string.h>

/* Which block each owned octant is in, and the weights of the blocks. */
typedef struct {
    int n;
    sn_global first;     /* this rank's first block */
    int64_t *rank_first; /* of every rank's first block; ranks + 1 entries */
    int32_t *of_octant;
    int64_t *weight;
    sn_key *first_key;
} block_cut;

static int weight_of(sn_octant o)
{
    return o.is_element ? SN_ELEMENT_WEIGHT : SN_BOUNDARY_NODE_WEIGHT;
}

static void number_globally(MPI_Comm comm, block_cut *cut)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int64_t mine = cut->n, *counts = SN_NEW(int64_t, size);
    MPI_Allgather(&mine, 1, MPI_INT64_T, counts, 1, MPI_INT64_T, comm);
    cut->rank_first = SN_NEW_ZERO(int64_t, size + 1);
    for (int r = 0; r < size; r++)
        cut->rank_first[r + 1] = cut->rank_first[r] + counts[r];
    cut->first.value = cut->rank_first[rank];
    sn_free(counts);
}

static block_cut cut_into_blocks(const sn_octree *tree, const sn_key *keys)
{
    int64_t total = 0;
    for (sn_local i = 0; i < tree->n_octants; i++)
        total += weight_of(tree->octant[i]);
    block_cut cut = {.of_octant = SN_NEW(int32_t, tree->n_octants),
                     .weight = SN_NEW_ZERO(int64_t, SN_BLOCKS_PER_RANK),
                     .first_key = SN_NEW(sn_key, SN_BLOCKS_PER_RANK)};
    int64_t before = 0;
    for (sn_local i = 0; i < tree->n_octants; i++) {
        /* A block begins where its share of the weight begins, never between copies. */
        bool may_begin = i == 0 || sn_key_place(keys[i]) != sn_key_place(keys[i - 1]);
        if (may_begin && before * SN_BLOCKS_PER_RANK >= total * cut.n)
            cut.first_key[cut.n++] = keys[i];
        cut.of_octant[i] = cut.n - 1;
        cut.weight[cut.n - 1] += weight_of(tree->octant[i]);
        before += weight_of(tree->octant[i]);
    }
    number_globally(tree->comm, &cut);
    return cut;
}

static void free_cut(block_cut *cut)
{
    sn_free(cut->rank_first);
    sn_free(cut->of_octant);
    sn_free(cut->weight);
    sn_free(cut->first_key);
}

typedef struct {
    sn_global from, to;
} block_edge;

static sn_global global_block(const block_cut *cut, sn_local octant)
{
    return (sn_global){cut->first.value + cut->of_octant[octant]};
}

static int rank_of_block(const block_cut *cut, int size, sn_global block)
{
    int rank = 0; /* the last rank that starts at or before it and has blocks */
    for (int r = 0; r < size; r++)
        if (cut->rank_first[r] <= block.value && block.value < cut->rank_first[r + 1])
            rank = r;
    return rank;
}

/* Global block number of every local node. */
static sn_global *blocks_of_nodes(sn_octree *tree, const block_cut *cut)
{
    sn_global *block = SN_NEW(sn_global, tree->n_nodes + tree->n_ghost_nodes);
    sn_local n = 0;
    for (sn_local i = 0; i < tree->n_octants; i++)
        if (tree->octant[i].is_node)
            block[n++] = global_block(cut, i);
    sn_exchange_begin(&tree->exchange, block, sizeof *block);
    sn_exchange_end(&tree->exchange);
    return block;
}

/* One edge, in both directions, for every node that an element uses from another block. */
static sn_inbox gather_edges(sn_octree *tree, const block_cut *cut)
{
    int size;
    MPI_Comm_size(tree->comm, &size);
    sn_global *node_block = blocks_of_nodes(tree, cut);
    SN_VECTOR(block_edge) edges = {0};
    SN_VECTOR(int) destination = {0};
    sn_local e = 0;
    for (sn_local i = 0; i < tree->n_octants; i++) {
        if (!tree->octant[i].is_element)
            continue;
        sn_global mine = global_block(cut, i);
        for (int corner = 0; corner < 8; corner++) {
            sn_global other = node_block[tree->conforming[e][corner]];
            if (other.value == mine.value)
                continue;
            block_edge there = {mine, other}, back = {other, mine};
            sn_push(&edges, there);
            sn_push(&destination, rank_of_block(cut, size, mine));
            sn_push(&edges, back);
            sn_push(&destination, rank_of_block(cut, size, other));
        }
        e++;
    }
    sn_inbox in =
        sn_records_send(tree->comm, sizeof(block_edge), edges.data, destination.data, edges.count);
    sn_vector_free(&edges);
    sn_vector_free(&destination);
    sn_free(node_block);
    return in;
}

static sn_block_graph build_graph(sn_octree *tree, const block_cut *cut)
{
    int size;
    MPI_Comm_size(tree->comm, &size);
    sn_inbox in = gather_edges(tree, cut);
    const block_edge *edge = in.data;
    /* Sorting (from, to) as one key makes equal edges neighbours. */
    sn_key *keys = SN_NEW(sn_key, in.n);
    for (size_t i = 0; i < in.n; i++)
        keys[i] = (sn_key)(edge[i].from.value - cut->first.value) << 32 | (sn_key)edge[i].to.value;
    sn_sort_keys(keys, in.n);
    sn_block_graph g = {.first = cut->first.value, .total = cut->rank_first[size], .n = cut->n};
    g.weight = SN_NEW(int64_t, cut->n);
    if (cut->n > 0)
        memcpy(g.weight, cut->weight, (size_t)cut->n * sizeof *g.weight);
    g.neighbour_first = SN_NEW_ZERO(int64_t, cut->n + 1);
    g.neighbour = SN_NEW(int64_t, in.n);
    g.shared = SN_NEW_ZERO(int64_t, in.n);
    int64_t n = 0;
    for (size_t i = 0; i < in.n; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) {
            g.neighbour[n++] = (int64_t)(keys[i] & UINT32_MAX);
            g.neighbour_first[(keys[i] >> 32) + 1] = n;
        }
        g.shared[n - 1]++;
    }
    for (int b = 0; b < cut->n; b++) /* blocks without neighbours */
        if (g.neighbour_first[b + 1] < g.neighbour_first[b])
            g.neighbour_first[b + 1] = g.neighbour_first[b];
    sn_free(keys);
    sn_inbox_free(&in);
    return g;
}

/* The table of all blocks with their new ranks, the same on every rank. */
static sn_owners owners_of_blocks(MPI_Comm comm, const block_cut *cut, const int *part, int parts)
{
    int size;
    MPI_Comm_size(comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size);
    for (int r = 0; r < size; r++) {
        starts[r] = (int)cut->rank_first[r];
        counts[r] = (int)(cut->rank_first[r + 1] - cut->rank_first[r]);
    }
    sn_owners owners = sn_owners_create((int)cut->rank_first[size]);
    int *rank = SN_NEW(int, cut->n);
    for (int b = 0; b < cut->n; b++)
        rank[b] = (int)((int64_t)part[b] * size / parts);
    MPI_Allgatherv(cut->first_key, cut->n, MPI_UINT64_T, owners.first, counts, starts, MPI_UINT64_T,
                   comm);
    MPI_Allgatherv(rank, cut->n, MPI_INT, owners.rank, counts, starts, MPI_INT, comm);
    owners.first[0] = 0;
    sn_free(rank);
    sn_free(counts);
    sn_free(starts);
    return owners;
}

sn_status sn_octree_partition_blocks(sn_octree *tree, int parts)
{
    if (parts < 2)
        return SN_OK;
    sn_phase_begin("octree/parmetis");
    sn_key *keys = sn_octree_octant_keys(tree);
    block_cut cut = cut_into_blocks(tree, keys);
    sn_block_graph graph = build_graph(tree, &cut);
    int *part = SN_NEW(int, cut.n);
    const char *reason;
    bool good = sn_parmetis_partition(tree->comm, &graph, parts, part, &reason);
    sn_status status = SN_OK;
    if (good) {
        sn_owners owners = owners_of_blocks(tree->comm, &cut, part, parts);
        sn_octree_disconnect(tree);
        sn_octree_repartition(tree, keys, owners);
        status = sn_octree_connect(tree);
    } else {
        sn_info("%s: this level stays on the curve", reason);
        sn_free(keys);
    }
    sn_free(part);
    sn_block_graph_free(&graph);
    free_cut(&cut);
    sn_phase_end("octree/parmetis");
    return status;
}
