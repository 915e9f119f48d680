#include "mesh/key_sort.h"

#include "base/array.h"

#include <stdbool.h>
#include <string.h>

enum { DIGIT_BITS = 8, DIGITS = 64 / DIGIT_BITS, BUCKETS = 1 << DIGIT_BITS };

static size_t digit_of(uint64_t key, int digit)
{
    return (size_t)(key >> (digit * DIGIT_BITS)) & (BUCKETS - 1);
}

static void count_digits(const sn_keyed *items, size_t count, size_t counts[DIGITS][BUCKETS])
{
    memset(counts, 0, sizeof(size_t[DIGITS][BUCKETS]));
    for (size_t i = 0; i < count; i++)
        for (int digit = 0; digit < DIGITS; digit++)
            counts[digit][digit_of(items[i].key, digit)]++;
}

static void scatter(const sn_keyed *from, sn_keyed *to, size_t count, int digit,
                    const size_t counts[BUCKETS])
{
    size_t next[BUCKETS], sum = 0;
    for (int b = 0; b < BUCKETS; b++) {
        next[b] = sum;
        sum += counts[b];
    }
    for (size_t i = 0; i < count; i++)
        to[next[digit_of(from[i].key, digit)]++] = from[i];
}

void sn_key_sort(sn_keyed *items, size_t count)
{
    if (count < 2)
        return;
    size_t counts[DIGITS][BUCKETS];
    count_digits(items, count, counts);
    sn_keyed *spare = SN_NEW(sn_keyed, count), *from = items, *to = spare;
    for (int digit = 0; digit < DIGITS; digit++) {
        bool all_equal = counts[digit][digit_of(from[0].key, digit)] == count;
        if (all_equal)
            continue;
        scatter(from, to, count, digit, counts[digit]);
        sn_keyed *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, count * sizeof *items);
    sn_free(spare);
}

uint64_t sn_key_of_double(double x)
{
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t bits;
    x += 0.0; /* -0 becomes +0 */
    memcpy(&bits, &x, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}
