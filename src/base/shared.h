/* Memory held once a node, seen by all of the node's ranks.
 *
 * A block is one MPI shared window. It hides how ranks find the others of their node, the
 * window's epochs, and alignment. The node's leader (its lowest rank) fills the block, then
 * all call sn_shared_block_fence, and from then on it is read only:
 *
 *     sn_shared_block block;
 *     double *table = sn_shared_block_create(comm, bytes, &block);
 *     if (block.is_leader)
 *         fill(table);
 *     sn_shared_block_fence(&block);
 *     ... everybody reads ...
 *     sn_shared_block_free(&block);
 *
 * The node's address space differs from rank to rank: a block must hold offsets, not
 * pointers. Running out of shared memory ends the job, as it does in array.h. */
#ifndef SN_BASE_SHARED_H
#define SN_BASE_SHARED_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct sn_shared_nodes sn_shared_nodes;

typedef struct {
    void *data;       /* 64-byte aligned on the leader; NULL when bytes is 0 */
    size_t bytes;     /* as the leader asked for */
    bool is_leader;   /* true on one rank a node; rank 0 of comm always leads its node */
    MPI_Comm node;    /* the ranks that see this block; as the next, of all blocks of its comm */
    MPI_Comm leaders; /* all leaders, rank 0 of comm first; MPI_COMM_NULL on the others */
    sn_shared_nodes *nodes; /* who keeps these two */
    MPI_Win window;
} sn_shared_block;

/* Collective. `comm` must outlive the block. The leader's `bytes` counts, that of other ranks is
 * ignored: leaders may want different sizes. Returns block->data. */
void *sn_shared_block_create(MPI_Comm comm, size_t bytes, sn_shared_block *block);

/* The same with at most `most_ranks` ranks sharing a block, as if nodes were smaller: for
 * machines where a copy per socket is faster, and for tests of several nodes on one. */
void *sn_shared_block_create_split(MPI_Comm comm, int most_ranks, size_t bytes,
                                   sn_shared_block *block);

/* Collective on the node: what the leader wrote before is what all read after. */
void sn_shared_block_fence(const sn_shared_block *block);

/* Collective: the first leader's block becomes every leader's, for blocks of equal size.
 * Includes the fence. */
void sn_shared_block_broadcast(const sn_shared_block *block);

/* Bytes of all blocks that this rank now sees. */
size_t sn_shared_held(void);

/* Collective. */
void sn_shared_block_free(sn_shared_block *block);

#endif
