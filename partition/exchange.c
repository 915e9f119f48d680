#include "partition/exchange.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/work.h"
#include "curve/search.h"
#include "partition/records.h"

#include <string.h>

enum { EXCHANGE_TAG = 7102 };

size_t sn_exchange_order_ghosts(const sn_owners *owners, sn_key *ghosts, size_t n)
{
    n = sn_sort_unique_keys(ghosts, n);
    sn_key *rank = SN_NEW(sn_key, n), *sorted = SN_NEW(sn_key, n);
    uint32_t *order = SN_NEW(uint32_t, n);
    for (size_t i = 0; i < n; i++)
        rank[i] = (sn_key)sn_owner_of(owners, ghosts[i]);
    sn_sort_keys_with_order(rank, order, n); /* stable: along the curve within a rank */
    for (size_t i = 0; i < n; i++)
        sorted[i] = ghosts[order[i]];
    if (n)
        memcpy(ghosts, sorted, n * sizeof *ghosts);
    sn_free(rank);
    sn_free(sorted);
    sn_free(order);
    return n;
}

static void list_receives(sn_exchange *x, const int *owner)
{
    for (sn_local i = 0; i < x->n_ghosts; i++)
        x->n_receive += i == 0 || owner[i] != owner[i - 1];
    x->receive_rank = SN_NEW(int, x->n_receive);
    x->receive_first = SN_NEW_ZERO(sn_local, x->n_receive + 1);
    int filled = 0;
    for (sn_local i = 0; i < x->n_ghosts; i++) {
        if (i == 0 || owner[i] != owner[i - 1])
            x->receive_rank[filled++] = owner[i];
        x->receive_first[filled] = i + 1;
    }
}

/* What others asked for becomes the send lists. */
static sn_status list_sends(sn_exchange *x, const sn_inbox *asked, const sn_key *own_keys)
{
    const sn_key *key = asked->data;
    x->n_send = asked->sources;
    x->send_rank = SN_NEW(int, x->n_send);
    x->send_first = SN_NEW_ZERO(sn_local, x->n_send + 1);
    x->send_index = SN_NEW(sn_local, asked->n);
    for (int s = 0; s < asked->sources; s++) {
        x->send_rank[s] = asked->source[s];
        x->send_first[s + 1] = (sn_local)asked->first[s + 1];
    }
    sn_search search = sn_search_create(own_keys, (size_t)x->n_own);
    sn_status status = SN_OK;
    for (size_t i = 0; i < asked->n && status == SN_OK; i++) {
        x->send_index[i] = sn_search_find(&search, key[i]);
        if (x->send_index[i] == SN_NONE)
            status = SN_FAIL(SN_MACHINE, "internal error: a neighbour asked for key %llx, not here",
                             (unsigned long long)key[i]);
    }
    sn_search_free(&search);
    return status;
}

sn_status sn_exchange_create(MPI_Comm comm, const sn_owners *owners, const sn_key *own_keys,
                             size_t n_own, const sn_key *ghosts, size_t n_ghosts,
                             sn_exchange *exchange)
{
    *exchange =
        (sn_exchange){.comm = comm, .n_own = (sn_local)n_own, .n_ghosts = (sn_local)n_ghosts};
    int *owner = SN_NEW(int, n_ghosts);
    for (size_t i = 0; i < n_ghosts; i++)
        owner[i] = sn_owner_of(owners, ghosts[i]);
    list_receives(exchange, owner);
    sn_inbox asked = sn_records_send(comm, sizeof(sn_key), ghosts, owner, n_ghosts);
    sn_status status = list_sends(exchange, &asked, own_keys);
    exchange->requests = SN_NEW(MPI_Request, exchange->n_send + exchange->n_receive);
    sn_inbox_free(&asked);
    sn_free(owner);
    status = sn_agree(comm, status);
#ifndef NDEBUG
    if (status == SN_OK)
        status = sn_exchange_check(exchange, own_keys, ghosts);
#endif
    return status;
}

sn_exchange sn_exchange_of_lists(MPI_Comm comm, sn_local n_own, sn_exchange_lists lists)
{
    return (sn_exchange){.comm = comm,
                         .n_own = n_own,
                         .n_ghosts = lists.receive_first[lists.n_receive],
                         .n_send = lists.n_send,
                         .n_receive = lists.n_receive,
                         .send_rank = lists.send_rank,
                         .receive_rank = lists.receive_rank,
                         .send_first = lists.send_first,
                         .send_index = lists.send_index,
                         .receive_first = lists.receive_first,
                         .requests = SN_NEW(MPI_Request, lists.n_send + lists.n_receive)};
}

void sn_exchange_free(sn_exchange *x)
{
    sn_free(x->send_rank);
    sn_free(x->receive_rank);
    sn_free(x->send_first);
    sn_free(x->send_index);
    sn_free(x->receive_first);
    sn_free(x->buffer);
    sn_free(x->requests);
    *x = (sn_exchange){0};
}

static void pack(sn_exchange *x, const char *values, size_t bytes)
{
    size_t n = (size_t)x->send_first[x->n_send];
    if (x->buffer_bytes < n * bytes) {
        sn_free(x->buffer);
        x->buffer_bytes = n * bytes;
        x->buffer = SN_NEW(char, x->buffer_bytes);
    }
    for (size_t i = 0; i < n; i++)
        memcpy(x->buffer + bytes * i, values + bytes * (size_t)x->send_index[i], bytes);
}

void sn_exchange_begin(sn_exchange *x, void *values, size_t bytes)
{
    if (x->n_send + x->n_receive == 0)
        return;
    sn_work_begin(SN_WORK_EXCHANGE);
    MPI_Datatype entry;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &entry);
    MPI_Type_commit(&entry);
    char *ghosts = (char *)values + bytes * (size_t)x->n_own;
    for (int r = 0; r < x->n_receive; r++) {
        sn_local first = x->receive_first[r], n = x->receive_first[r + 1] - first;
        MPI_Irecv(ghosts + bytes * (size_t)first, n, entry, x->receive_rank[r], EXCHANGE_TAG,
                  x->comm, &x->requests[r]);
    }
    pack(x, values, bytes);
    for (int s = 0; s < x->n_send; s++) {
        sn_local first = x->send_first[s], n = x->send_first[s + 1] - first;
        MPI_Isend(x->buffer + bytes * (size_t)first, n, entry, x->send_rank[s], EXCHANGE_TAG,
                  x->comm, &x->requests[x->n_receive + s]);
    }
    MPI_Type_free(&entry); /* lives on until the transfers are done */
    sn_work_moves(2 * (double)bytes * (x->send_first[x->n_send] + x->n_ghosts));
    sn_work_end();
}

void sn_exchange_end(sn_exchange *x)
{
    if (x->n_send + x->n_receive == 0)
        return;
    sn_work_begin(SN_WORK_EXCHANGE);
    MPI_Waitall(x->n_send + x->n_receive, x->requests, MPI_STATUSES_IGNORE);
    sn_work_end();
}

int sn_exchange_neighbours(const sn_exchange *x)
{
    int neighbours = x->n_send; /* both lists are ascending */
    for (int r = 0, s = 0; r < x->n_receive; r++) {
        while (s < x->n_send && x->send_rank[s] < x->receive_rank[r])
            s++;
        neighbours += s == x->n_send || x->send_rank[s] != x->receive_rank[r];
    }
    return neighbours;
}

size_t sn_exchange_memory_of(size_t neighbours, size_t entries, size_t buffer_bytes)
{
    return neighbours * (sizeof(int) + sizeof(sn_local)) + entries * sizeof(sn_local) +
           buffer_bytes;
}

size_t sn_exchange_memory(const sn_exchange *x)
{
    size_t entries = x->send_first ? (size_t)x->send_first[x->n_send] : 0;
    return sn_exchange_memory_of((size_t)(x->n_send + x->n_receive), entries, x->buffer_bytes);
}
