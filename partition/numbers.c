#include "partition/numbers.h"

#include "base/array.h"
#include "curve/search.h"
#include "partition/records.h"
#include "partition/sort.h"

#include <string.h>

typedef struct {
    sn_key key;
    int64_t local;
} question;

typedef struct {
    int64_t local, number;
} answer;

static sn_inbox ask(MPI_Comm comm, const sn_owners *owners, const sn_key *key, size_t n)
{
    question *mine = SN_NEW(question, n);
    int *destination = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++) {
        mine[i] = (question){key[i], (int64_t)i};
        destination[i] = sn_owner_of(owners, key[i]);
    }
    sn_inbox inbox = sn_records_send(comm, sizeof *mine, mine, destination, n);
    sn_free(mine);
    sn_free(destination);
    return inbox;
}

/* `sorted` are the keys that this rank knows the numbers of. */
static sn_inbox reply(MPI_Comm comm, const sn_inbox *asked, const sn_key *sorted, size_t n,
                      int64_t first)
{
    const question *q = asked->data;
    answer *mine = SN_NEW(answer, asked->n);
    int *destination = SN_NEW(int, asked->n);
    sn_search search = sn_search_create(sorted, n);
    for (int s = 0; s < asked->sources; s++)
        for (size_t i = asked->first[s]; i < asked->first[s + 1]; i++) {
            mine[i] = (answer){q[i].local, first + sn_search_find(&search, q[i].key)};
            destination[i] = asked->source[s];
        }
    sn_search_free(&search);
    sn_inbox inbox = sn_records_send(comm, sizeof *mine, mine, destination, asked->n);
    sn_free(mine);
    sn_free(destination);
    return inbox;
}

static int64_t count_before(MPI_Comm comm, size_t n, int64_t *everywhere)
{
    int64_t mine = (int64_t)n, before = 0;
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Exscan(&mine, &before, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(&mine, everywhere, 1, MPI_INT64_T, MPI_SUM, comm);
    return rank == 0 ? 0 : before;
}

int64_t sn_number_along_curve(MPI_Comm comm, const sn_key *key, size_t n, int64_t *number)
{
    sn_owners owners;
    size_t n_sorted = n;
    int64_t everywhere;
    sn_key *sorted = SN_NEW(sn_key, n);
    if (n > 0)
        memcpy(sorted, key, n * sizeof *key);
    sorted = sn_sort_along_curve(comm, sorted, &n_sorted, &owners);
    int64_t first = count_before(comm, n_sorted, &everywhere);
    sn_inbox asked = ask(comm, &owners, key, n);
    sn_inbox replied = reply(comm, &asked, sorted, n_sorted, first);
    const answer *a = replied.data;
    for (size_t i = 0; i < replied.n; i++)
        number[a[i].local] = a[i].number;
    sn_inbox_free(&asked);
    sn_inbox_free(&replied);
    sn_owners_free(&owners);
    sn_free(sorted);
    return everywhere;
}
