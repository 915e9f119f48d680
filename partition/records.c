#include "partition/records.h"

#include "base/array.h"
#include "base/log.h"
#include "base/status.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { RECORDS_TAG = 7101 };

/* Records grouped by destination, stable. */
typedef struct {
    int n_ranks;
    int *rank;
    size_t *first;
    char *data;
} outbox;

typedef struct {
    int source;
    size_t n;
    char *data;
} letter;

typedef SN_VECTOR(letter) letters;

static outbox pack(MPI_Comm comm, size_t bytes, const char *records, const int *destination,
                   size_t n)
{
    int size;
    MPI_Comm_size(comm, &size);
    size_t *place = SN_NEW_ZERO(size_t, (size_t)size + 1);
    for (size_t i = 0; i < n; i++)
        place[destination[i] + 1]++;
    outbox out = {0};
    for (int r = 0; r < size; r++)
        out.n_ranks += place[r + 1] > 0;
    out.rank = SN_NEW(int, out.n_ranks);
    out.first = SN_NEW_ZERO(size_t, (size_t)out.n_ranks + 1);
    int filled = 0;
    for (int r = 0; r < size; r++) {
        if (place[r + 1] > 0) {
            out.rank[filled++] = r;
            out.first[filled] = place[r] + place[r + 1];
        }
        place[r + 1] += place[r];
    }
    out.data = SN_NEW(char, n *bytes);
    for (size_t i = 0; i < n; i++)
        memcpy(out.data + bytes * place[destination[i]]++, records + bytes * i, bytes);
    sn_free(place);
    return out;
}

static void free_outbox(outbox *out)
{
    sn_free(out->rank);
    sn_free(out->first);
    sn_free(out->data);
}

static int message_count(size_t n)
{
    if (n > INT_MAX)
        sn_abort(SN_MACHINE, __FILE__, __LINE__,
                 "a message of %zu records is too long: use more ranks", n);
    return (int)n;
}

static MPI_Datatype type_of_record(size_t bytes)
{
    MPI_Datatype type;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void receive_if_any(MPI_Comm comm, MPI_Datatype type, size_t bytes, letters *received)
{
    int here, count;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, RECORDS_TAG, comm, &here, &status);
    if (!here)
        return;
    MPI_Get_count(&status, type, &count);
    letter l = {.source = status.MPI_SOURCE, .n = (size_t)count};
    l.data = SN_NEW(char, l.n *bytes);
    MPI_Recv(l.data, count, type, l.source, RECORDS_TAG, comm, MPI_STATUS_IGNORE);
    sn_push(received, l);
}

/* What goes nowhere else needs no copy. */
static letter to_myself(int me, size_t bytes, int place, outbox *out)
{
    letter mine = {.source = me, .n = out->first[place + 1] - out->first[place]};
    if (out->n_ranks == 1) {
        mine.data = out->data;
        out->data = NULL;
        return mine;
    }
    mine.data = SN_NEW(char, mine.n *bytes);
    memcpy(mine.data, out->data + bytes * out->first[place], mine.n * bytes);
    return mine;
}

/* Synchronous sends complete when they are being received; once all mine have, I enter the
 * barrier, and once everybody has entered it, nothing is under way any more. */
static letters deliver(MPI_Comm comm, size_t bytes, outbox *out)
{
    int me;
    MPI_Comm_rank(comm, &me);
    MPI_Datatype type = type_of_record(bytes);
    letters received = {0};
    MPI_Request *sends = SN_NEW(MPI_Request, out->n_ranks);
    int n_sends = 0;
    for (int i = 0; i < out->n_ranks; i++) {
        if (out->rank[i] == me) {
            sn_push(&received, to_myself(me, bytes, i, out));
            continue;
        }
        size_t n = out->first[i + 1] - out->first[i];
        MPI_Issend(out->data + bytes * out->first[i], message_count(n), type, out->rank[i],
                   RECORDS_TAG, comm, &sends[n_sends++]);
    }
    MPI_Request barrier = MPI_REQUEST_NULL;
    for (int all_in = 0, mine_arrived = 0; !all_in;) {
        receive_if_any(comm, type, bytes, &received);
        if (!mine_arrived) {
            MPI_Testall(n_sends, sends, &mine_arrived, MPI_STATUSES_IGNORE);
            if (mine_arrived)
                MPI_Ibarrier(comm, &barrier);
        } else {
            MPI_Test(&barrier, &all_in, MPI_STATUS_IGNORE);
        }
    }
    sn_free(sends);
    MPI_Type_free(&type);
    /* A rank that is already in the next exchange must not be heard in this one. */
    MPI_Barrier(comm);
    return received;
}

static int by_source(const void *a, const void *b)
{
    return ((const letter *)a)->source - ((const letter *)b)->source;
}

/* The records of all letters, one after the other; the letters' own are gone. */
static char *joined(const letters *received, size_t bytes, size_t n)
{
    if (received->count == 1)
        return received->data[0].data;
    char *all = SN_NEW(char, n *bytes), *next = all;
    for (size_t i = 0; i < received->count; i++) {
        const letter *l = &received->data[i];
        memcpy(next, l->data, bytes * l->n);
        next += bytes * l->n;
        sn_free(l->data);
    }
    return all;
}

static sn_inbox unpack(letters *received, size_t bytes)
{
    if (received->count)
        qsort(received->data, received->count, sizeof(letter), by_source);
    sn_inbox in = {.sources = (int)received->count};
    in.source = SN_NEW(int, in.sources);
    in.first = SN_NEW_ZERO(size_t, received->count + 1);
    for (size_t i = 0; i < received->count; i++) {
        in.source[i] = received->data[i].source;
        in.first[i + 1] = in.first[i] + received->data[i].n;
    }
    in.n = in.first[received->count];
    in.data = joined(received, bytes, in.n);
    sn_vector_free(received);
    return in;
}

sn_inbox sn_records_send(MPI_Comm comm, size_t record_bytes, const void *records,
                         const int *destination, size_t n)
{
    outbox out = pack(comm, record_bytes, records, destination, n);
    letters received = deliver(comm, record_bytes, &out);
    free_outbox(&out);
    return unpack(&received, record_bytes);
}

sn_inbox sn_records_reply(MPI_Comm comm, const sn_inbox *received, size_t record_bytes,
                          const void *replies)
{
    int *destination = SN_NEW(int, received->n);
    for (int source = 0; source < received->sources; source++)
        for (size_t i = received->first[source]; i < received->first[source + 1]; i++)
            destination[i] = received->source[source];
    sn_inbox in = sn_records_send(comm, record_bytes, replies, destination, received->n);
    sn_free(destination);
    return in;
}

/* Replies of each rank came in the order in which it was asked. */
static void sort_replies(const sn_inbox *in, size_t bytes, const int *destination, size_t n,
                         char *replies)
{
    size_t *next = SN_NEW(size_t, in->sources);
    for (int s = 0; s < in->sources; s++)
        next[s] = in->first[s];
    for (size_t i = 0; i < n; i++) {
        int low = 0, end = in->sources;
        while (end - low > 1) {
            int middle = (low + end) / 2;
            if (in->source[middle] <= destination[i])
                low = middle;
            else
                end = middle;
        }
        memcpy(replies + bytes * i, (const char *)in->data + bytes * next[low]++, bytes);
    }
    sn_free(next);
}

void sn_records_ask(MPI_Comm comm, const sn_question *q, const void *records,
                    const int *destination, size_t n, void *replies)
{
    sn_inbox asked = sn_records_send(comm, q->record_bytes, records, destination, n);
    char *answers = SN_NEW(char, asked.n * q->reply_bytes);
    q->answer(q->context, asked.data, asked.n, answers);
    sn_inbox in = sn_records_reply(comm, &asked, q->reply_bytes, answers);
    sn_free(answers);
    sn_inbox_free(&asked);
    sort_replies(&in, q->reply_bytes, destination, n, replies);
    sn_inbox_free(&in);
}

/* An inbox with room for so many records of each rank. */
static sn_inbox inbox_of_counts(const int *count, int ranks, size_t bytes)
{
    sn_inbox in = {.sources = ranks,
                   .source = SN_NEW(int, ranks),
                   .first = SN_NEW_ZERO(size_t, (size_t)ranks + 1)};
    for (int r = 0; r < ranks; r++) {
        in.source[r] = r;
        in.first[r + 1] = in.first[r] + (size_t)count[r];
    }
    in.n = in.first[ranks];
    in.data = SN_NEW(char, in.n *bytes);
    return in;
}

sn_inbox sn_records_gather(MPI_Comm comm, size_t record_bytes, const void *records, size_t n)
{
    int size, mine = message_count(n);
    MPI_Comm_size(comm, &size);
    int *count = SN_NEW(int, size), *start = SN_NEW(int, size);
    MPI_Allgather(&mine, 1, MPI_INT, count, 1, MPI_INT, comm);
    sn_inbox in = inbox_of_counts(count, size, record_bytes);
    message_count(in.n);
    for (int r = 0; r < size; r++)
        start[r] = (int)in.first[r];
    MPI_Datatype type = type_of_record(record_bytes);
    MPI_Allgatherv(records, mine, type, in.data, count, start, type, comm);
    MPI_Type_free(&type);
    sn_free(count);
    sn_free(start);
    return in;
}

void sn_inbox_free(sn_inbox *inbox)
{
    sn_free(inbox->data);
    sn_free(inbox->source);
    sn_free(inbox->first);
    *inbox = (sn_inbox){0};
}

void *sn_inbox_take(sn_inbox *inbox, size_t *n)
{
    void *records = inbox->data;
    *n = inbox->n;
    inbox->data = NULL;
    sn_inbox_free(inbox);
    return records;
}
