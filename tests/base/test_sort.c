/* Sorting by keys: the C library's sort is the oracle, the result is stable, and the number of
 * threads does not show. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/sort.h"

#include <math.h>
#include <stdlib.h>

static uint64_t random_key(unsigned long long *seed, int bits)
{
    uint64_t key = 0;
    for (int b = 0; b < bits; b += 16)
        key = key << 16 | (uint64_t)(test_random(seed) * 0x1p16);
    return bits == 64 ? key : key & ((UINT64_C(1) << bits) - 1);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void check_order(const uint64_t *before, const uint64_t *keys, const uint64_t *expected,
                        const uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        CHECK(keys[i] == expected[i], "sorted");
        CHECK(before[order[i]] == keys[i], "the order is the right one");
        CHECK(i == 0 || keys[i] != keys[i - 1] || order[i - 1] < order[i], "stable");
    }
}

static void check_unique(uint64_t *keys, const uint64_t *expected, size_t n)
{
    size_t distinct = sn_sort_unique_keys(keys, n), count = 0;
    for (size_t i = 0; i < n; i++)
        if (i == 0 || expected[i] != expected[i - 1]) {
            CHECK(count < distinct && keys[count] == expected[i], "unique");
            count++;
        }
    CHECK(count == distinct, "%zu distinct, not %zu", distinct, count);
}

static void compare_with_qsort(const uint64_t *given, size_t n)
{
    uint64_t *keys = SN_NEW(uint64_t, n), *expected = SN_NEW(uint64_t, n);
    uint32_t *order = SN_NEW(uint32_t, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = expected[i] = given[i];
    if (n)
        qsort(expected, n, sizeof *expected, by_value);
    sn_sort_keys_with_order(keys, order, n);
    check_order(given, keys, expected, order, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = given[i];
    check_unique(keys, expected, n);
    sn_free(keys);
    sn_free(expected);
    sn_free(order);
}

static void equals_qsort(void)
{
    unsigned long long seed = 2;
    static const size_t sizes[] = {0, 1, 2, 47, 48, 49, 1000, 20000, 70000, 300000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int bits = 1; bits <= 64; bits += 9) {
            uint64_t *keys = SN_NEW(uint64_t, sizes[s]);
            for (size_t i = 0; i < sizes[s]; i++)
                keys[i] = random_key(&seed, bits);
            compare_with_qsort(keys, sizes[s]);
            sn_free(keys);
        }
}

/* Almost all keys share their highest digits, and many are equal: one bucket has nearly all. */
static void lopsided_keys(void)
{
    enum { COUNT = 250000 };
    unsigned long long seed = 3;
    for (int bits = 0; bits <= 30; bits += 6) {
        uint64_t *keys = SN_NEW(uint64_t, COUNT);
        for (size_t i = 0; i < COUNT; i++)
            keys[i] = i % 1000 ? random_key(&seed, bits) : random_key(&seed, 64);
        compare_with_qsort(keys, COUNT);
        sn_free(keys);
    }
}

typedef struct {
    uint64_t key;
    uint32_t number;
    char padding[12];
} record;

static void records_follow_their_keys(void)
{
    enum { COUNT = 5000 };
    unsigned long long seed = 4;
    record *records = SN_NEW_ZERO(record, COUNT);
    uint64_t *keys = SN_NEW(uint64_t, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        keys[i] = records[i].key = random_key(&seed, 11);
        records[i].number = i;
    }
    sn_sort_records(records, sizeof *records, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(records[i].key == keys[records[i].number], "the record is whole");
        CHECK(
            i == 0 || records[i - 1].key < records[i].key ||
                (records[i - 1].key == records[i].key && records[i - 1].number < records[i].number),
            "ascending and stable");
    }
    sn_sort_records(NULL, sizeof *records, 0);
    sn_free(records);
    sn_free(keys);
}

static void keys_of_numbers_order_as_they_do(void)
{
    const double ascending[] = {-INFINITY, -1e300, -2, -1, -1e-300, 0, 1e-300, 1, 2, INFINITY};
    for (int i = 1; i < 10; i++)
        CHECK(sn_key_of_double(ascending[i - 1]) < sn_key_of_double(ascending[i]), "at %d", i);
    CHECK(sn_key_of_double(-0.0) == sn_key_of_double(0.0), "zeros");
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    equals_qsort();
    lopsided_keys();
    records_follow_their_keys();
    keys_of_numbers_order_as_they_do();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
