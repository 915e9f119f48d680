#include "base/shared.h"

#include "base/array.h"
#include "base/log.h"
#include "base/status.h"

#include <limits.h>
#include <stdint.h>

enum {
    ALIGNMENT = 64,
    BROADCAST_BYTES = 1 << 30, /* MPI counts are int */
};

/* The ranks of a communicator by nodes. Splitting is slow, and an MPI library has some ten
 * thousands of communicators: all blocks of a communicator use one pair, which hangs on it as an
 * attribute until the last of them is freed. */
struct sn_shared_nodes {
    MPI_Comm comm;
    int most_ranks;
    size_t blocks; /* that use it */
    MPI_Comm node, leaders;
};

static void split_nodes(sn_shared_nodes *n)
{
    int rank, node_rank;
    MPI_Comm_rank(n->comm, &rank);
    MPI_Comm whole_node;
    MPI_Comm_split_type(n->comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &whole_node);
    MPI_Comm_rank(whole_node, &node_rank);
    MPI_Comm_split(whole_node, node_rank / n->most_ranks, node_rank, &n->node);
    MPI_Comm_free(&whole_node);
    MPI_Comm_rank(n->node, &node_rank);
    MPI_Comm_split(n->comm, node_rank == 0 ? 0 : MPI_UNDEFINED, rank, &n->leaders);
}

/* The name of the attribute; made once. */
static int nodes_key(void)
{
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    return key;
}

static sn_shared_nodes *known_nodes(MPI_Comm comm)
{
    sn_shared_nodes *nodes;
    int found;
    MPI_Comm_get_attr(comm, nodes_key(), &nodes, &found);
    return found ? nodes : NULL;
}

/* Those that are known, or new ones if they were split otherwise. */
static sn_shared_nodes *use_nodes(MPI_Comm comm, int most_ranks)
{
    sn_shared_nodes *nodes = known_nodes(comm);
    bool first = !nodes;
    if (first || nodes->most_ranks != most_ranks) {
        nodes = SN_NEW_ZERO(sn_shared_nodes, 1);
        *nodes = (sn_shared_nodes){.comm = comm, .most_ranks = most_ranks};
        split_nodes(nodes);
        if (first)
            MPI_Comm_set_attr(comm, nodes_key(), nodes);
    }
    nodes->blocks++;
    return nodes;
}

static void release_nodes(sn_shared_nodes *nodes)
{
    if (--nodes->blocks > 0)
        return;
    if (known_nodes(nodes->comm) == nodes)
        MPI_Comm_delete_attr(nodes->comm, nodes_key());
    if (nodes->leaders != MPI_COMM_NULL)
        MPI_Comm_free(&nodes->leaders);
    MPI_Comm_free(&nodes->node);
    sn_free(nodes);
}

static void join_nodes(MPI_Comm comm, int most_ranks, sn_shared_block *block)
{
    int rank;
    block->nodes = use_nodes(comm, most_ranks);
    block->node = block->nodes->node;
    block->leaders = block->nodes->leaders;
    MPI_Comm_rank(block->node, &rank);
    block->is_leader = rank == 0;
}

static size_t held;

/* The leader's part of the window is all of it; the others find it by asking. */
static char *allocate_window(sn_shared_block *block)
{
    char *own, *leaders;
    MPI_Aint size = block->is_leader ? (MPI_Aint)(block->bytes + ALIGNMENT) : 0;
    MPI_Comm_set_errhandler(block->node, MPI_ERRORS_RETURN);
    int error = MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, block->node, &own, &block->window);
    if (error != MPI_SUCCESS)
        sn_abort(SN_MACHINE, __FILE__, __LINE__,
                 "out of shared memory: a window of %zu bytes was refused", block->bytes);
    MPI_Comm_set_errhandler(block->node, MPI_ERRORS_ARE_FATAL);
    int unit;
    MPI_Win_shared_query(block->window, 0, &size, &unit, &leaders);
    return leaders;
}

void *sn_shared_block_create_split(MPI_Comm comm, int most_ranks, size_t bytes,
                                   sn_shared_block *block)
{
    *block = (sn_shared_block){.window = MPI_WIN_NULL};
    join_nodes(comm, most_ranks, block);
    uint64_t leaders_bytes = bytes;
    MPI_Bcast(&leaders_bytes, 1, MPI_UINT64_T, 0, block->node);
    block->bytes = (size_t)leaders_bytes;
    char *base = allocate_window(block);
    /* All skip what the leader skips, so that they see the same bytes. */
    int32_t skip = (int32_t)((ALIGNMENT - (uintptr_t)base % ALIGNMENT) % ALIGNMENT);
    MPI_Bcast(&skip, 1, MPI_INT32_T, 0, block->node);
    block->data = block->bytes ? base + skip : NULL;
    MPI_Win_lock_all(MPI_MODE_NOCHECK, block->window);
    held += block->bytes;
    return block->data;
}

void *sn_shared_block_create(MPI_Comm comm, size_t bytes, sn_shared_block *block)
{
    return sn_shared_block_create_split(comm, INT_MAX, bytes, block);
}

void sn_shared_block_fence(const sn_shared_block *block)
{
    MPI_Win_sync(block->window);
    MPI_Barrier(block->node);
    MPI_Win_sync(block->window);
}

void sn_shared_block_broadcast(const sn_shared_block *block)
{
    if (block->is_leader)
        for (size_t done = 0; done < block->bytes; done += BROADCAST_BYTES) {
            size_t left = block->bytes - done;
            int count = (int)(left < BROADCAST_BYTES ? left : BROADCAST_BYTES);
            MPI_Bcast((char *)block->data + done, count, MPI_BYTE, 0, block->leaders);
        }
    sn_shared_block_fence(block);
}

size_t sn_shared_held(void)
{
    return held;
}

void sn_shared_block_free(sn_shared_block *block)
{
    held -= block->bytes;
    MPI_Win_unlock_all(block->window);
    MPI_Win_free(&block->window);
    release_nodes(block->nodes);
    *block = (sn_shared_block){.window = MPI_WIN_NULL};
}
