/* The order of octants, and searching. */
#include "helpers/check.h"

#include "base/array.h"
#include "base/sort.h"
#include "curve/lookup.h"
#include "curve/octant.h"

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
        int bits = 1 + i % (SN_MORTON_BITS + SN_COPY_BITS);
        sn_key a = random_key(&seed, bits), b = i % 7 ? random_key(&seed, bits) : a;
        sn_octant oa = sn_octant_at(a, 0), ob = sn_octant_at(b, 0);
        CHECK(sn_octant_before(oa, ob) == (a < b), "%llx and %llx", (unsigned long long)a,
              (unsigned long long)b);
        CHECK(sn_octant_key(3, oa) == (a | sn_key_of_morton(3, 0)), "there and back");
        ob = oa;
        oa.copy = 0;
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
    CHECK(sn_key_ancestor(key | 9, 1) == sn_key_ancestor(key, 1), "copies have one parent");
    CHECK(sn_key_copy(key | 9) == 9 && sn_key_place(key | 9) == key, "copy and place");
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

/* Keys with and without their first copies, in a few blocks. */
static void lookup_equals_search(void)
{
    unsigned long long seed = 5;
    for (size_t n = 0; n < 3000; n = n * 2 + 1) {
        sn_key *keys = SN_NEW(sn_key, n);
        for (size_t i = 0; i < n; i++) {
            sn_key copy = test_random(&seed) < 0.8 ? 0 : random_key(&seed, 2);
            keys[i] = random_key(&seed, 11) << SN_COPY_BITS | copy;
        }
        size_t distinct = sn_sort_unique_keys(keys, n);
        sn_search search = sn_search_create(keys, distinct);
        sn_lookup lookup = sn_lookup_create(keys, distinct);
        sn_lookup_memory memory = {0};
        for (sn_key place = 0; place < 2100; place++)
            for (sn_key copy = 0; copy < 5; copy++) {
                sn_key key = place << SN_COPY_BITS | copy;
                CHECK(sn_lookup_find(&lookup, &memory, key) == sn_search_find(&search, key),
                      "n %zu key %llx", n, (unsigned long long)key);
            }
        sn_lookup_free(&lookup);
        sn_search_free(&search);
        sn_free(keys);
    }
}

static void run(int argc, char **argv)
{
    (void)argc, (void)argv;
    exclusive_or_orders_like_the_key();
    ancestors_and_children();
    search_equals_a_walk();
    lookup_equals_search();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
