/* Digests do not depend on order or ranks, and do depend on everything else. */
#include "helpers/check.h"

#include "base/digest.h"

#include <inttypes.h>

enum { RECORDS = 1000 };

typedef struct {
    double x;
    uint32_t a, b;
} record;

static record record_at(uint64_t index)
{
    return (record){1.0 / (double)(index + 1), (uint32_t)index, (uint32_t)(index * index)};
}

static uint64_t serial_digest(void)
{
    uint64_t digest = 0;
    for (uint64_t i = 0; i < RECORDS; i++) {
        record r = record_at(i);
        sn_digest_add(&digest, i, &r, sizeof r);
    }
    return digest;
}

static void bytes_have_their_published_hash(void)
{
    CHECK(sn_digest_bytes("", 0) == 0x2d06800538d394c2u, "XXH3 of nothing: %016" PRIx64,
          sn_digest_bytes("", 0));
    CHECK(sn_digest_bytes("ab", 2) != sn_digest_bytes("ba", 2), "order of bytes");
    CHECK(sn_digest_bytes("ab", 2) != sn_digest_bytes("ab", 3), "length");
}

static void order_and_ranks_do_not_matter(void)
{
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    uint64_t mine = 0;
    for (uint64_t i = RECORDS; i-- > 0;)
        if (i * i % (uint64_t)size == (uint64_t)rank) { /* some ranks get nothing */
            record r = record_at(i);
            sn_digest_add(&mine, i, &r, sizeof r);
        }
    CHECK(sn_digest_allreduce(MPI_COMM_WORLD, mine) == serial_digest(), "spread over ranks");
}

static void an_array_is_its_records(void)
{
    record records[RECORDS];
    for (uint64_t i = 0; i < RECORDS; i++)
        records[i] = record_at(i);
    uint64_t digest = 0;
    sn_digest_add_array(&digest, 0, records, sizeof *records, 400);
    sn_digest_add_array(&digest, 400, records + 400, sizeof *records, RECORDS - 400);
    CHECK(digest == serial_digest(), "two arrays");
}

static uint64_t pair_digest(uint64_t i, uint64_t a, uint64_t j, uint64_t b, size_t bytes)
{
    uint64_t digest = 0;
    sn_digest_add(&digest, i, &a, bytes);
    sn_digest_add(&digest, j, &b, bytes);
    return digest;
}

static void swapped_records_are_noticed(void)
{
    for (size_t bytes = 1; bytes <= 8; bytes++)
        for (uint64_t i = 0; i < 64; i++)
            for (uint64_t j = 0; j < i; j++) {
                uint64_t right = pair_digest(i, i, j, j, bytes);
                CHECK(right != pair_digest(i, j, j, i, bytes), "%zu bytes, %d %d", bytes, (int)i,
                      (int)j);
                CHECK(right != pair_digest(i, i, j, i, bytes), "%zu bytes, %d %d", bytes, (int)i,
                      (int)j);
            }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    bytes_have_their_published_hash();
    order_and_ranks_do_not_matter();
    an_array_is_its_records();
    swapped_records_are_noticed();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
