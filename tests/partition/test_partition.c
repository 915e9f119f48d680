/* Who owns what: records, the parallel sort, numbers, the split, migration, the exchange. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/sort.h"
#include "partition/exchange.h"
#include "partition/migrate.h"
#include "partition/numbers.h"
#include "partition/records.h"
#include "partition/sort.h"
#include "partition/split.h"

#include <string.h>

static int rank, size;

typedef struct {
    int from, to, number;
} record;

static sn_key hashed(unsigned long long i)
{
    unsigned long long state = i;
    test_random(&state);
    return (sn_key)(test_random(&state) * 0x1p40);
}

/* Records that come back are as many as went out, each from whom it was for. */
static void records_are_replied_to(const sn_inbox *in, size_t sent)
{
    sn_inbox back = sn_records_reply(MPI_COMM_WORLD, in, sizeof(record), in->data);
    const record *got = back.data;
    CHECK(back.n == sent, "%zu of %zu records came back", back.n, sent);
    for (int source = 0; source < back.sources; source++)
        for (size_t i = back.first[source]; i < back.first[source + 1]; i++)
            CHECK(got[i].from == rank && got[i].to == back.source[source], "%d replied to %d",
                  got[i].to, got[i].from);
    sn_inbox_free(&back);
}

/* Everybody sends to a few ranks, to itself, or to nobody; twice in a row, so that a fast rank
 * is in the second exchange while others are in the first. */
static void records_arrive_once_and_in_order(void)
{
    for (int round = 0; round < 20; round++) {
        SN_VECTOR(record) out = {0};
        SN_VECTOR(int) to = {0};
        for (int i = 0; i < (rank * 7 + round) % 5; i++) {
            record r = {rank, (rank * 3 + i * i + round) % size, i};
            sn_push(&out, r);
            sn_push(&to, r.to);
        }
        int sent = (int)out.count, all_sent, all_received;
        sn_inbox in = sn_records_send(MPI_COMM_WORLD, sizeof(record), out.data, to.data, out.count);
        const record *got = in.data;
        for (size_t i = 0; i < in.n; i++) {
            CHECK(got[i].to == rank, "for rank %d", got[i].to);
            CHECK(i == 0 || got[i - 1].from < got[i].from ||
                      (got[i - 1].from == got[i].from && got[i - 1].number < got[i].number),
                  "by source, then as sent");
        }
        int received = (int)in.n;
        MPI_Allreduce(&sent, &all_sent, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&received, &all_received, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all_sent == all_received, "%d sent, %d received", all_sent, all_received);
        records_are_replied_to(&in, out.count);
        sn_inbox_free(&in);
        sn_vector_free(&out);
        sn_vector_free(&to);
    }
}

/* Rank r gives r % 3 records: some give none. */
static void gather_gives_all_to_all(void)
{
    record own[2];
    int n = rank % 3;
    for (int i = 0; i < n; i++)
        own[i] = (record){rank, -1, i};
    sn_inbox in = sn_records_gather(MPI_COMM_WORLD, sizeof *own, own, (size_t)n);
    const record *got = in.data;
    size_t at = 0;
    CHECK(in.sources == size, "%d sources", in.sources);
    for (int r = 0; r < size; r++) {
        CHECK(in.source[r] == r && in.first[r] == at, "rank %d's start at %zu", r, in.first[r]);
        for (int i = 0; i < r % 3 && at < in.n; i++, at++)
            CHECK(got[at].from == r && got[at].number == i, "record %zu is %d of %d", at,
                  got[at].number, got[at].from);
    }
    CHECK(in.n == at && in.first[size] == at, "%zu records, not %zu", in.n, at);
    sn_inbox_free(&in);
}

/* The same keys, dealt out in different ways, give the same sorted union. */
static void sort_gives_each_key_once(size_t total, int on_ranks)
{
    size_t n = 0;
    sn_key *keys = SN_NEW(sn_key, total + 1), *expected = SN_NEW(sn_key, total + 1);
    for (size_t i = 0; i < total; i++) {
        expected[i] = hashed(i % (total / 2 + 1)); /* each about twice */
        if ((int)(i % (size_t)on_ranks) == rank)
            keys[n++] = expected[i];
    }
    size_t distinct = sn_sort_unique_keys(expected, total);
    sn_owners owners;
    sn_key *mine = sn_sort_along_curve(MPI_COMM_WORLD, keys, &n, &owners);
    unsigned long long here = n, before = 0, all;
    MPI_Exscan(&here, &before, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&here, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all == distinct, "%llu keys, not %zu", all, distinct);
    for (size_t i = 0; i < n; i++) {
        CHECK(mine[i] == expected[(rank ? before : 0) + i], "in order over the ranks");
        CHECK(sn_owner_of(&owners, mine[i]) == rank, "where the table says");
    }
    sn_owners_free(&owners);
    sn_free(mine);
    sn_free(expected);
}

/* Key 3 i is number i, whoever has it: each is somewhere, some on several ranks. */
static void numbers_are_the_same_everywhere(size_t total)
{
    size_t n = 0;
    sn_key *keys = SN_NEW(sn_key, total + 1);
    int64_t *number = SN_NEW(int64_t, total + 1);
    for (size_t i = total; i-- > 0;)
        if (hashed(i) % (sn_key)size == (sn_key)rank || i % 5 == (size_t)rank)
            keys[n++] = 3 * i;
    int64_t all = sn_number_along_curve(MPI_COMM_WORLD, keys, n, number);
    CHECK(all == (int64_t)total, "%lld keys, not %zu", (long long)all, total);
    for (size_t i = 0; i < n; i++)
        CHECK(number[i] == (int64_t)keys[i] / 3, "key %llu is number %lld",
              (unsigned long long)keys[i], (long long)number[i]);
    sn_free(number);
    sn_free(keys);
}

/* All of n keys on rank 0 before; then each rank's weight is within one octant of its share. */
static void split_is_even(size_t total, int parts)
{
    size_t n = rank == 0 ? total : 0;
    sn_key *keys = SN_NEW(sn_key, total + 1);
    uint8_t *weight = SN_NEW(uint8_t, total + 1);
    uint64_t sum = 0;
    for (size_t i = 0; i < total; i++) {
        keys[i] = sn_key_of_morton(0, 10 * i / 3 * 3); /* with gaps */
        weight[i] = (uint8_t)(1 + i % 4);
        sum += weight[i];
    }
    sn_owners owners = sn_split_by_weight(MPI_COMM_WORLD, keys, weight, n, parts);
    int used = parts < size ? parts : size;
    uint64_t mine = 0;
    for (size_t i = 0; i < total; i++)
        if (sn_owner_of(&owners, keys[i]) == rank)
            mine += weight[i];
    CHECK(mine <= sum / (uint64_t)used + 4, "%llu of %llu", (unsigned long long)mine,
          (unsigned long long)sum);
    for (int i = 0; i < owners.n; i++)
        CHECK(i == 0 ||
                  (owners.first[i - 1] < owners.first[i] && owners.rank[i - 1] < owners.rank[i]),
              "ascending");
    sn_owners_free(&owners);
    sn_free(keys);
    sn_free(weight);
}

/* Blocks dealt out like cards: nobody's part is one piece. */
static sn_owners dealt_out(sn_key keys_in_all, int blocks)
{
    sn_owners owners = sn_owners_create(blocks);
    for (int b = 0; b < blocks; b++) {
        owners.first[b] = keys_in_all * (sn_key)b / (sn_key)blocks;
        owners.rank[b] = b * 5 % size;
    }
    return owners;
}

typedef struct {
    sn_key key;
    double value[3];
} entry;

static void migration_takes_data_along(void)
{
    enum { TOTAL = 1000 };
    size_t from = (size_t)(TOTAL * rank / size), to = (size_t)(TOTAL * (rank + 1) / size);
    sn_key keys[TOTAL];
    entry entries[TOTAL];
    for (size_t i = from; i < to; i++) {
        keys[i - from] = i;
        entries[i - from] = (entry){i, {(double)i, (double)i * 0.5, -(double)i}};
    }
    sn_owners owners = dealt_out(TOTAL, 4 * size + 1);
    sn_migration m = sn_migration_create(MPI_COMM_WORLD, keys, to - from, &owners);
    entry *after = sn_migrate(&m, sizeof(entry), entries);
    size_t n = 0;
    for (size_t i = 0; i < TOTAL; i++)
        if (sn_owner_of(&owners, i) == rank) {
            CHECK(n < m.n_after && after[n].key == i && after[n].value[2] == -(double)i,
                  "entry %zu is here", i);
            CHECK(m.keys[n] == i, "and its key");
            n++;
        }
    CHECK(n == m.n_after, "%zu entries, not %zu", m.n_after, n);
    sn_free(after);
    sn_migration_free(&m);
    sn_owners_free(&owners);
}

/* Each rank wants ghosts from all over; the values are a function of the key. */
/* What is broken on one rank is seen by all. */
static void exchange_is_checked(sn_exchange *x, const sn_key *own, const sn_key *ghosts)
{
    CHECK(sn_exchange_check(x, own, ghosts) == SN_OK, "%s", sn_failure_message());
    CHECK(sn_exchange_check(x, NULL, NULL) == SN_OK, "%s", sn_failure_message());
    if (size == 1)
        return;
    bool breaks = rank == size - 1 && x->n_send > 0; /* the last has no ghosts, and sends */
    sn_local kept = breaks ? x->send_index[0] : 0;
    if (breaks)
        x->send_index[0] = kept > 0 ? kept - 1 : kept + 1;
    CHECK(sn_exchange_check(x, own, ghosts) == SN_MACHINE, "another entry is sent");
    if (breaks)
        x->send_index[0] = x->n_own;
    CHECK(sn_exchange_check(x, NULL, NULL) == SN_MACHINE, "an entry is sent that is not there");
    if (breaks) {
        x->send_index[0] = kept;
        x->n_send--;
    }
    CHECK(sn_exchange_check(x, own, ghosts) == SN_MACHINE, "somebody waits in vain");
    x->n_send += breaks;
    CHECK(sn_exchange_check(x, own, ghosts) == SN_OK, "%s", sn_failure_message());
}

static void exchange_fills_ghosts(void)
{
    enum { TOTAL = 600 };
    sn_owners owners = dealt_out(TOTAL, 3 * size + 2);
    sn_key own[TOTAL], ghosts[TOTAL];
    size_t n_own = 0, n_ghosts = 0;
    for (sn_key key = 0; key < TOTAL; key += 2) { /* odd keys are holes in the tree */
        if (sn_owner_of(&owners, key) == rank)
            own[n_own++] = key;
        else if ((key * 7 + (sn_key)rank) % 5 < 2 && rank != size - 1)
            ghosts[n_ghosts++] = key;
    }
    n_ghosts = sn_exchange_order_ghosts(&owners, ghosts, n_ghosts);
    sn_exchange x;
    CHECK(sn_exchange_create(MPI_COMM_WORLD, &owners, own, n_own, ghosts, n_ghosts, &x) == SN_OK,
          "%s", sn_failure_message());
    for (int round = 1; round <= 3; round++) {
        double(*values)[3] = SN_NEW_ZERO(double[3], n_own + n_ghosts);
        for (size_t i = 0; i < n_own; i++)
            for (int d = 0; d < 3; d++)
                values[i][d] = (double)own[i] * round + d;
        sn_exchange_begin(&x, values, sizeof *values);
        sn_exchange_end(&x);
        for (size_t g = 0; g < n_ghosts; g++)
            for (int d = 0; d < 3; d++)
                CHECK(values[n_own + g][d] == (double)ghosts[g] * round + d, "ghost %zu", g);
        sn_free(values);
    }
    exchange_is_checked(&x, own, ghosts);
    sn_exchange_free(&x);

    /* A ghost that nobody has is everybody's failure, not a hang. */
    sn_key missing[1] = {TOTAL - 1};
    sn_status status =
        sn_exchange_create(MPI_COMM_WORLD, &owners, own, n_own, missing, rank == 0 ? 1 : 0, &x);
    CHECK(status == SN_MACHINE, "status %d", status);
    sn_exchange_free(&x);
    sn_owners_free(&owners);
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    records_arrive_once_and_in_order();
    gather_gives_all_to_all();
    sort_gives_each_key_once(5000, size);
    sort_gives_each_key_once(5000, 1);
    sort_gives_each_key_once(3, size);
    sort_gives_each_key_once(0, size);
    numbers_are_the_same_everywhere(2000);
    numbers_are_the_same_everywhere(2);
    numbers_are_the_same_everywhere(0);
    split_is_even(1000, size);
    split_is_even(1000, 2);
    split_is_even(2, size);
    split_is_even(0, size);
    migration_takes_data_along();
    exchange_fills_ghosts();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
