#include "curve/radix.h"

#include "base/array.h"

#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, BUCKETS = 1 << DIGIT_BITS, SMALL = 48 };

typedef struct {
    size_t count[DIGITS][BUCKETS];
} histogram;

static inline unsigned digit_of(sn_key key, int digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (BUCKETS - 1);
}

static histogram *count_digits(const sn_key *keys, size_t n)
{
    histogram *h = SN_NEW_ZERO(histogram, 1);
    for (size_t i = 0; i < n; i++)
        for (int d = 0; d < DIGITS; d++)
            h->count[d][digit_of(keys[i], d)]++;
    return h;
}

static void starts_from_counts(size_t counts[BUCKETS])
{
    size_t start = 0;
    for (int b = 0; b < BUCKETS; b++) {
        size_t count = counts[b];
        counts[b] = start;
        start += count;
    }
}

static bool all_in_one_bucket(const size_t counts[BUCKETS], sn_key any, int digit, size_t n)
{
    return counts[digit_of(any, digit)] == n;
}

static void insertion_sort(sn_key *keys, uint32_t *order, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        sn_key key = keys[i];
        uint32_t place = order ? order[i] : 0;
        size_t j = i;
        for (; j > 0 && keys[j - 1] > key; j--) {
            keys[j] = keys[j - 1];
            if (order)
                order[j] = order[j - 1];
        }
        keys[j] = key;
        if (order)
            order[j] = place;
    }
}

static void distribute(const sn_key *from, const uint32_t *from_order, sn_key *to,
                       uint32_t *to_order, size_t n, int digit, size_t starts[BUCKETS])
{
    if (!from_order) {
        for (size_t i = 0; i < n; i++)
            to[starts[digit_of(from[i], digit)]++] = from[i];
        return;
    }
    for (size_t i = 0; i < n; i++) {
        size_t place = starts[digit_of(from[i], digit)]++;
        to[place] = from[i];
        to_order[place] = from_order[i];
    }
}

static void radix_sort(sn_key *keys, uint32_t *order, size_t n)
{
    if (n <= SMALL) {
        insertion_sort(keys, order, n);
        return;
    }
    histogram *h = count_digits(keys, n);
    sn_key *from = keys, *to = SN_NEW(sn_key, n), *spare = to;
    uint32_t *from_order = order, *to_order = order ? SN_NEW(uint32_t, n) : NULL;
    uint32_t *spare_order = to_order;
    for (int digit = 0; digit < DIGITS; digit++) {
        if (all_in_one_bucket(h->count[digit], from[0], digit, n))
            continue;
        starts_from_counts(h->count[digit]);
        distribute(from, from_order, to, to_order, n, digit, h->count[digit]);
        sn_key *swap = from;
        from = to, to = swap;
        uint32_t *swap_order = from_order;
        from_order = to_order, to_order = swap_order;
    }
    if (from != keys) {
        memcpy(keys, from, n * sizeof *keys);
        if (order)
            memcpy(order, from_order, n * sizeof *order);
    }
    sn_free(spare);
    sn_free(spare_order);
    sn_free(h);
}

void sn_sort_keys(sn_key *keys, size_t n)
{
    radix_sort(keys, NULL, n);
}

size_t sn_sort_unique_keys(sn_key *keys, size_t n)
{
    radix_sort(keys, NULL, n);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || keys[kept - 1] != keys[i])
            keys[kept++] = keys[i];
    return kept;
}

void sn_sort_keys_with_order(sn_key *keys, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++)
        order[i] = (uint32_t)i;
    radix_sort(keys, order, n);
}
