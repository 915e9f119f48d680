/* The order of octants, sorting and searching. */
#include "check.h"

#include "base/array.h"
#include "curve/octant.h"
#include "curve/radix.h"
#include "curve/search.h"

#include <stdlib.h>

static sn_key random_key(unsigned long long *seed, int bits)
{
    sn_key key = 0;
    for (int b = 0; b < bits; b++)
        key = key << 1 | (test_random(seed) < 0.5);
    return key;
}

/* Comparing by exclusive-or is comparing interleaved keys. */
static void exclusive_or_orders_like_the_key(void)
{
    unsigned long long seed = 1;
    for (int i = 0; i < 200000; i++) {
        int bits = 1 + i % SN_MORTON_BITS;
        sn_key a = random_key(&seed, bits), b = i % 7 ? random_key(&seed, bits) : a;
        sn_octant oa = sn_octant_at(a, 0), ob = sn_octant_at(b, 0);
        CHECK(sn_octant_before(oa, ob) == (a < b), "%llx and %llx", (unsigned long long)a,
              (unsigned long long)b);
        CHECK(sn_octant_key(3, oa) == (a | (sn_key)3 << SN_MORTON_BITS), "there and back");
        ob = oa;
        ob.copy = 1;
        CHECK(sn_octant_before(oa, ob) && !sn_octant_before(ob, oa), "copies are ordered");
    }
}

static void ancestors_and_children(void)
{
    sn_key key = sn_key_of(2, 5, 6, 7);
    CHECK(sn_key_child(key, 0) == (1 | 0 << 1 | 1 << 2), "child of its parent");
    CHECK(sn_key_ancestor(key, 1) == sn_key_of(2, 4, 6, 6), "parent");
    CHECK(sn_key_ancestor(key, 3) == sn_key_of(2, 0, 0, 0), "great-grandparent");
    CHECK(sn_key_body(key) == 2, "body");
}

static int by_value(const void *a, const void *b)
{
    sn_key x = *(const sn_key *)a, y = *(const sn_key *)b;
    return x < y ? -1 : x > y;
}

static void radix_sort_equals_qsort(void)
{
    unsigned long long seed = 2;
    static const size_t sizes[] = {0, 1, 2, 47, 48, 49, 1000, 20000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int bits = 1; bits <= 64; bits += 9) {
            size_t n = sizes[s];
            sn_key *keys = SN_NEW(sn_key, n + 1), *expected = SN_NEW(sn_key, n + 1);
            sn_key *before = SN_NEW(sn_key, n + 1);
            uint32_t *order = SN_NEW(uint32_t, n + 1);
            for (size_t i = 0; i < n; i++)
                keys[i] = expected[i] = before[i] = random_key(&seed, bits);
            qsort(expected, n, sizeof *expected, by_value);
            sn_sort_keys_with_order(keys, order, n);
            for (size_t i = 0; i < n; i++) {
                CHECK(keys[i] == expected[i], "sorted");
                CHECK(before[order[i]] == keys[i], "the order is the right one");
                CHECK(i == 0 || keys[i] != keys[i - 1] || order[i - 1] < order[i], "stable");
            }
            size_t distinct = sn_sort_unique_keys(before, n), count = 0;
            for (size_t i = 0; i < n; i++)
                if (i == 0 || expected[i] != expected[i - 1]) {
                    CHECK(count < distinct && before[count] == expected[i], "unique");
                    count++;
                }
            CHECK(count == distinct, "%zu distinct, not %zu", distinct, count);
            sn_free(keys), sn_free(expected), sn_free(before), sn_free(order);
        }
}

static void search_equals_a_walk(void)
{
    unsigned long long seed = 3;
    for (size_t n = 0; n < 5000; n = n * 2 + 1) {
        sn_key *keys = SN_NEW(sn_key, n);
        for (size_t i = 0; i < n; i++)
            keys[i] = random_key(&seed, 12); /* few values: many duplicates */
        sn_sort_keys(keys, n);
        sn_search search = sn_search_create(keys, n);
        for (sn_key key = 0; key<4100; key += n> 500 ? 7 : 1) {
            size_t expected = 0;
            while (expected < n && keys[expected] < key)
                expected++;
            CHECK(sn_search_lower_bound(&search, key) == expected, "n %zu key %llu", n,
                  (unsigned long long)key);
            bool there = expected < n && keys[expected] == key;
            CHECK(sn_search_find(&search, key) == (there ? (sn_local)expected : SN_NONE), "find");
        }
        sn_search_free(&search);
        sn_free(keys);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    exclusive_or_orders_like_the_key();
    ancestors_and_children();
    radix_sort_equals_qsort();
    search_equals_a_walk();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
