/* Is an exchange what exchange.h promises? Every rule here is slow and obvious. */
#include "partition/exchange.h"

#include "base/array.h"
#include "partition/records.h"

#include <string.h>

/* One direction: its neighbours are other ranks, ascending, and each has something. */
static sn_status check_neighbours(MPI_Comm comm, const int *rank, const sn_local *first, int n)
{
    int me, size;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &size);
    if (first[0] != 0)
        return SN_FAIL(SN_MACHINE, "the entries of an exchange start at %d", first[0]);
    for (int i = 0; i < n; i++) {
        if (rank[i] < 0 || rank[i] >= size || rank[i] == me || (i > 0 && rank[i] <= rank[i - 1]))
            return SN_FAIL(SN_MACHINE, "rank %d is out of place in an exchange", rank[i]);
        if (first[i] >= first[i + 1])
            return SN_FAIL(SN_MACHINE, "an exchange has nothing for its neighbour %d", rank[i]);
    }
    return SN_OK;
}

static sn_status check_lists(const sn_exchange *x)
{
    SN_TRY(check_neighbours(x->comm, x->send_rank, x->send_first, x->n_send));
    SN_TRY(check_neighbours(x->comm, x->receive_rank, x->receive_first, x->n_receive));
    if (x->receive_first[x->n_receive] != x->n_ghosts)
        return SN_FAIL(SN_MACHINE, "%d entries arrive for %d ghosts",
                       x->receive_first[x->n_receive], x->n_ghosts);
    for (sn_local i = 0; i < x->send_first[x->n_send]; i++)
        if (x->send_index[i] < 0 || x->send_index[i] >= x->n_own)
            return SN_FAIL(SN_MACHINE, "an exchange sends entry %d of %d", x->send_index[i],
                           x->n_own);
    return SN_OK;
}

static sn_status compare_counts(const sn_exchange *x, const sn_inbox *announced)
{
    const sn_local *count = announced->data;
    if (announced->sources != x->n_receive)
        return SN_FAIL(SN_MACHINE, "%d ranks send here, %d are expected", announced->sources,
                       x->n_receive);
    for (int i = 0; i < x->n_receive; i++) {
        sn_local expected = x->receive_first[i + 1] - x->receive_first[i];
        if (announced->source[i] != x->receive_rank[i] || count[i] != expected)
            return SN_FAIL(SN_MACHINE, "rank %d sends %d entries, rank %d is to send %d",
                           announced->source[i], count[i], x->receive_rank[i], expected);
    }
    return SN_OK;
}

/* Each rank sends to whom, and as much as, the others receive. */
static sn_status check_pairs(const sn_exchange *x)
{
    sn_local *count = SN_NEW(sn_local, x->n_send);
    for (int i = 0; i < x->n_send; i++)
        count[i] = x->send_first[i + 1] - x->send_first[i];
    sn_inbox in = sn_records_send(x->comm, sizeof *count, count, x->send_rank, (size_t)x->n_send);
    sn_status status = compare_counts(x, &in);
    sn_inbox_free(&in);
    sn_free(count);
    return status;
}

/* Keys that are exchanged are those of the ghosts. */
static sn_status check_keys(const sn_exchange *x, const sn_key *own_keys, const sn_key *ghosts)
{
    if (!own_keys && !ghosts)
        return SN_OK;
    size_t n_own = (size_t)x->n_own, n_ghosts = (size_t)x->n_ghosts;
    sn_key *key = SN_NEW_ZERO(sn_key, n_own + n_ghosts);
    if (n_own > 0)
        memcpy(key, own_keys, n_own * sizeof *key);
    sn_exchange trial = *x; /* with a buffer of its own: x stays as it was */
    trial.buffer = NULL;
    trial.buffer_bytes = 0;
    sn_exchange_begin(&trial, key, sizeof *key);
    sn_exchange_end(&trial);
    sn_free(trial.buffer);
    sn_status status = SN_OK;
    for (size_t g = 0; g < n_ghosts && status == SN_OK; g++)
        if (key[n_own + g] != ghosts[g])
            status = SN_FAIL(SN_MACHINE, "ghost %zu has key %llx, and gets %llx", g,
                             (unsigned long long)ghosts[g], (unsigned long long)key[n_own + g]);
    sn_free(key);
    return status;
}

sn_status sn_exchange_check(const sn_exchange *x, const sn_key *own_keys, const sn_key *ghosts)
{
    SN_TRY(sn_agree(x->comm, check_lists(x)));
    SN_TRY(sn_agree(x->comm, check_pairs(x)));
    return sn_agree(x->comm, check_keys(x, own_keys, ghosts));
}
