/* The exchange of nodal values: owners to ghost copies.
 *
 * Values live in one array: this rank's own first, then the ghosts, grouped by owner. The
 * neighbour lists are made once; then every exchange is a begin/end pair with room for work
 * in between. One exchange can be under way at a time. */
#ifndef SN_PARTITION_EXCHANGE_H
#define SN_PARTITION_EXCHANGE_H

#include "base/index.h"
#include "base/status.h"
#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>

typedef struct {
    MPI_Comm comm;
    sn_local n_own, n_ghosts;
    int n_send, n_receive; /* neighbours in each direction */
    int *send_rank, *receive_rank;
    sn_local *send_first;    /* n_send + 1: into send_index */
    sn_local *send_index;    /* own entries, in the order in which the neighbour keeps them */
    sn_local *receive_first; /* n_receive + 1: into the ghosts */
    char *buffer;            /* packed values on their way */
    size_t buffer_bytes;
    MPI_Request *requests;
} sn_exchange;

/* Puts ghost keys into the order that the exchange wants: by owner, then along the curve.
 * Duplicates are dropped; returns how many are left. */
size_t sn_exchange_order_ghosts(const sn_owners *owners, sn_key *ghosts, size_t n);

/* Collective. `own_keys` are this rank's n_own entries, ascending; `ghosts` are ordered as
 * above. Owners answer for what they have: a ghost that does not exist is an error. */
SN_CHECKED sn_status sn_exchange_create(MPI_Comm comm, const sn_owners *owners,
                                        const sn_key *own_keys, size_t n_own, const sn_key *ghosts,
                                        size_t n_ghosts, sn_exchange *exchange);

/* The same from lists that both sides have agreed on by themselves, for values that have no key:
 * this rank sends its own entries send_index[send_first[i]...] to send_rank[i], and receives its
 * ghosts from receive_first[i] on from receive_rank[i]. Not collective; takes all lists over. */
typedef struct {
    int n_send, n_receive;
    int *send_rank, *receive_rank;     /* ascending */
    sn_local *send_first, *send_index; /* n_send + 1; as long as the last of them says */
    sn_local *receive_first;           /* n_receive + 1 */
} sn_exchange_lists;

sn_exchange sn_exchange_of_lists(MPI_Comm comm, sn_local n_own, sn_exchange_lists lists);
void sn_exchange_free(sn_exchange *exchange);

/* Starts to fill the ghosts of `values` (n_own + n_ghosts entries of `bytes` bytes). Neither
 * own nor ghost entries may be written before the end. */
void sn_exchange_begin(sn_exchange *exchange, void *values, size_t bytes);
void sn_exchange_end(sn_exchange *exchange);

/* Collective: is everything that this header promises true, and do the ranks' lists fit together?
 * With keys (NULL on all ranks: there are none) also whether each ghost gets what its owner has.
 * Slow, for tests and debug builds; the first rule that is broken is the message of the failure. */
SN_CHECKED sn_status sn_exchange_check(const sn_exchange *exchange, const sn_key *own_keys,
                                       const sn_key *ghosts);

/* Number of ranks this rank sends to or receives from. */
int sn_exchange_neighbours(const sn_exchange *exchange);
size_t sn_exchange_memory(const sn_exchange *exchange);

/* What an exchange holds that sends so many entries and whose buffer has so many bytes;
 * `neighbours` counts those of both directions. */
size_t sn_exchange_memory_of(size_t neighbours, size_t entries, size_t buffer_bytes);

#endif
