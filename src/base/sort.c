#include "base/sort.h"

#include "base/array.h"

#include <omp.h>
#include <stdbool.h>
#include <string.h>

enum {
    DIGIT_BITS = 8,
    KEY_BITS = 64,
    BUCKETS = 1 << DIGIT_BITS,
    INSERTION_MOST = 48,     /* insertion is faster up to here */
    IN_CACHE_MOST = 1 << 16, /* so many keys, twice, stay in a core's cache while they are sorted */
};

/* Keys and what travels with them; `companion` is NULL when nothing does. */
typedef struct {
    uint64_t *key;
    uint32_t *companion;
} items;

static inline unsigned digit_of(uint64_t key, int shift)
{
    return (unsigned)(key >> shift) & (BUCKETS - 1);
}

static void insertion_sort(items a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        uint64_t key = a.key[i];
        uint32_t companion = a.companion ? a.companion[i] : 0;
        size_t j = i;
        for (; j > 0 && a.key[j - 1] > key; j--) {
            a.key[j] = a.key[j - 1];
            if (a.companion)
                a.companion[j] = a.companion[j - 1];
        }
        a.key[j] = key;
        if (a.companion)
            a.companion[j] = companion;
    }
}

static bool ascending(const uint64_t *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (keys[i] < keys[i - 1])
            return false;
    return true;
}

/* The bits in which some key differs from the first. */
static uint64_t varying_bits(const uint64_t *keys, size_t n)
{
    uint64_t varying = 0;
    for (size_t i = 1; i < n; i++)
        varying |= keys[i] ^ keys[0];
    return varying;
}

static void count_digits(const uint64_t *keys, size_t n, int shift, size_t counts[BUCKETS])
{
    memset(counts, 0, sizeof(size_t[BUCKETS]));
    for (size_t i = 0; i < n; i++)
        counts[digit_of(keys[i], shift)]++;
}

/* Within a bucket the first thread's keys come first: that keeps the sort stable. */
static void starts_from_counts(size_t (*counts)[BUCKETS], int threads)
{
    size_t start = 0;
    for (int b = 0; b < BUCKETS; b++)
        for (int t = 0; t < threads; t++) {
            size_t count = counts[t][b];
            counts[t][b] = start;
            start += count;
        }
}

static void scatter(items from, items to, size_t n, int shift, size_t starts[BUCKETS])
{
    if (!from.companion) {
        for (size_t i = 0; i < n; i++)
            to.key[starts[digit_of(from.key[i], shift)]++] = from.key[i];
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size_t place = starts[digit_of(from.key[i], shift)]++;
        to.key[place] = from.key[i];
        to.companion[place] = from.companion[i];
    }
}

static items part_from(items a, size_t first)
{
    return (items){a.key + first, a.companion ? a.companion + first : NULL};
}

static void copy(items from, items to, size_t n)
{
    memcpy(to.key, from.key, n * sizeof *to.key);
    if (to.companion)
        memcpy(to.companion, from.companion, n * sizeof *to.companion);
}

/* Sorts what is in `from`, last digit first; `result` is either `from` or `spare`. */
static void sort_in_cache(items from, items spare, items result, size_t n)
{
    uint64_t varying = varying_bits(from.key, n);
    for (int shift = 0; shift < KEY_BITS; shift += DIGIT_BITS) {
        if (digit_of(varying, shift) == 0)
            continue;
        size_t counts[1][BUCKETS];
        count_digits(from.key, n, shift, counts[0]);
        starts_from_counts(counts, 1);
        scatter(from, spare, n, shift, counts[0]);
        items swap = from;
        from = spare;
        spare = swap;
    }
    if (from.key != result.key)
        copy(from, result, n);
}

static int shift_to_highest_digit(uint64_t varying)
{
    int bits = KEY_BITS - __builtin_clzll(varying | 1);
    return bits > DIGIT_BITS ? bits - DIGIT_BITS : 0;
}

/* Moves items to the buckets of their highest digit that varies; start[b] is where bucket b
 * begins. Returns how many bits lie below that digit. Each thread counts and moves the same
 * consecutive part. */
static int split_by_highest_digit(items from, items to, size_t n, int threads,
                                  size_t start[BUCKETS + 1])
{
    size_t(*counts)[BUCKETS] = SN_NEW(size_t[BUCKETS], threads);
    uint64_t varying = 0;
    int shift = 0;
#pragma omp parallel num_threads(threads)
    {
        size_t team = (size_t)omp_get_num_threads(), me = (size_t)omp_get_thread_num();
        size_t first = n * me / team, count = n * (me + 1) / team - first;
        uint64_t mine = varying_bits(from.key + first, count) | (from.key[first] ^ from.key[0]);
#pragma omp atomic
        varying |= mine;
#pragma omp barrier
#pragma omp single
        shift = shift_to_highest_digit(varying);
        count_digits(from.key + first, count, shift, counts[me]);
#pragma omp barrier
#pragma omp single
        {
            starts_from_counts(counts, (int)team);
            memcpy(start, counts[0], sizeof counts[0]);
        }
        scatter(part_from(from, first), to, count, shift, counts[me]);
    }
    start[BUCKETS] = n;
    sn_free(counts);
    return shift;
}

/* As sort_in_cache, for any length: split into buckets until they fit. A bucket that would
 * keep one thread busy while the others are done is sorted by all of them. */
static void sort_items(items from, items spare, items result, size_t n, int threads)
{
    if (n <= IN_CACHE_MOST) {
        sort_in_cache(from, spare, result, n);
        return;
    }
    size_t start[BUCKETS + 1];
    if (split_by_highest_digit(from, spare, n, threads, start) == 0) {
        if (result.key != spare.key)
            copy(spare, result, n);
        return; /* that was the only digit */
    }
    size_t most_alone = threads == 1 ? n : n / (2 * (size_t)threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int b = 0; b < BUCKETS; b++) {
        size_t count = start[b + 1] - start[b];
        if (count > 0 && count <= most_alone)
            sort_items(part_from(spare, start[b]), part_from(from, start[b]),
                       part_from(result, start[b]), count, 1);
    }
    for (int b = 0; b < BUCKETS; b++) {
        size_t count = start[b + 1] - start[b];
        if (count > most_alone)
            sort_items(part_from(spare, start[b]), part_from(from, start[b]),
                       part_from(result, start[b]), count, threads);
    }
}

static void radix_sort(items a, size_t n)
{
    items spare = {SN_NEW(uint64_t, n), a.companion ? SN_NEW(uint32_t, n) : NULL};
    sort_items(a, spare, a, n, omp_in_parallel() ? 1 : omp_get_max_threads());
    sn_free(spare.key);
    sn_free(spare.companion);
}

void sn_sort_keys_with(uint64_t *keys, uint32_t *companions, size_t n)
{
    items a = {keys, companions};
    if (n <= INSERTION_MOST)
        insertion_sort(a, n);
    else if (!ascending(keys, n))
        radix_sort(a, n);
}

void sn_sort_keys(uint64_t *keys, size_t n)
{
    sn_sort_keys_with(keys, NULL, n);
}

size_t sn_sort_unique_keys(uint64_t *keys, size_t n)
{
    sn_sort_keys(keys, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || keys[kept - 1] != keys[i])
            keys[kept++] = keys[i];
    return kept;
}

void sn_sort_keys_with_order(uint64_t *keys, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    sn_sort_keys_with(keys, order, n);
}

/* Record order[i] becomes number i, for all of the cycle that goes through `start`, whose order is
 * then its own: large records have no room for a second copy of all. */
static void follow_cycle(char *record, size_t bytes, uint32_t *order, size_t start, char *first)
{
    size_t to = start;
    memcpy(first, record + bytes * start, bytes);
    while (order[to] != start) {
        size_t from = order[to];
        memcpy(record + bytes * to, record + bytes * from, bytes);
        order[to] = (uint32_t)to;
        to = from;
    }
    memcpy(record + bytes * to, first, bytes);
    order[to] = (uint32_t)to;
}

static void put_in_order(char *record, size_t bytes, uint32_t *order, size_t n)
{
    char *first = SN_NEW(char, bytes);
    for (size_t i = 0; i < n; i++)
        if (order[i] != i)
            follow_cycle(record, bytes, order, i, first);
    sn_free(first);
}

void sn_sort_records(void *records, size_t record_bytes, size_t n)
{
    const char *record = records;
    uint64_t *keys = SN_NEW(uint64_t, n);
    for (size_t i = 0; i < n; i++)
        memcpy(&keys[i], record + record_bytes * i, sizeof *keys);
    bool sorted = ascending(keys, n);
    uint32_t *order = sorted ? NULL : SN_NEW(uint32_t, n);
    if (!sorted)
        sn_sort_keys_with_order(keys, order, n);
    sn_free(keys);
    if (!sorted)
        put_in_order(records, record_bytes, order, n);
    sn_free(order);
}

uint64_t sn_key_of_double(double x)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    x += 0.0; /* -0 becomes +0 */
    memcpy(&bits, &x, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}
