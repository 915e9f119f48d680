#include "curve/lookup.h"

#include "base/array.h"

static size_t count_blocks(const sn_key *keys, size_t n)
{
    size_t blocks = 0;
    for (size_t i = 0; i < n; i++)
        blocks += i == 0 || keys[i] >> SN_LOOKUP_BITS != keys[i - 1] >> SN_LOOKUP_BITS;
    return blocks;
}

static void count_before(sn_lookup_block *block)
{
    int before = 0;
    for (int w = 0; w < SN_LOOKUP_WORDS; w++) {
        block->before[w] = (uint16_t)before;
        before += __builtin_popcountll(block->taken[w]);
    }
}

sn_lookup sn_lookup_create(const sn_key *keys, size_t n)
{
    sn_lookup lookup = {.n_blocks = count_blocks(keys, n)};
    lookup.block_key = SN_NEW(sn_key, lookup.n_blocks);
    lookup.block = SN_NEW_ZERO(sn_lookup_block, lookup.n_blocks);
    size_t b = 0;
    for (size_t i = 0; i < n; i++) {
        sn_key block = keys[i] >> SN_LOOKUP_BITS;
        if (b == 0 || lookup.block_key[b - 1] != block) {
            lookup.block_key[b] = block;
            lookup.block[b++].first = (sn_local)i;
        }
        lookup.block[b - 1].taken[keys[i] >> 6 & (SN_LOOKUP_WORDS - 1)] |= UINT64_C(1)
                                                                           << (keys[i] & 63);
    }
    for (b = 0; b < lookup.n_blocks; b++)
        count_before(&lookup.block[b]);
    lookup.search = sn_search_create(lookup.block_key, lookup.n_blocks);
    return lookup;
}

void sn_lookup_free(sn_lookup *lookup)
{
    sn_search_free(&lookup->search);
    sn_free(lookup->block_key);
    sn_free(lookup->block);
    *lookup = (sn_lookup){0};
}
