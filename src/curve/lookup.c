#include "curve/lookup.h"

#include "base/array.h"

static size_t count_blocks(const sn_key *keys, size_t n)
{
    size_t blocks = 0;
    for (size_t i = 0; i < n; i++)
        blocks += i == 0 || sn_lookup_block_of(keys[i]) != sn_lookup_block_of(keys[i - 1]);
    return blocks;
}

static size_t count_further(const sn_key *keys, size_t n)
{
    size_t further = 0;
    for (size_t i = 0; i < n; i++)
        further += sn_key_copy(keys[i]) > 0;
    return further;
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
    lookup.block = SN_NEW_ZERO(sn_lookup_block, lookup.n_blocks + 1);
    lookup.further = SN_NEW(sn_key, count_further(keys, n));
    size_t b = 0;
    sn_local further = 0;
    for (size_t i = 0; i < n; i++) {
        sn_key block = sn_lookup_block_of(keys[i]), place = keys[i] >> SN_COPY_BITS;
        if (b == 0 || lookup.block_key[b - 1] != block) {
            lookup.block_key[b] = block;
            lookup.block[b].further = further;
            lookup.block[b++].first = (sn_local)i;
        }
        if (sn_key_copy(keys[i]) > 0)
            lookup.further[further++] = keys[i];
        else
            lookup.block[b - 1].taken[place >> 6 & (SN_LOOKUP_WORDS - 1)] |= UINT64_C(1)
                                                                             << (place & 63);
    }
    lookup.block[lookup.n_blocks].further = further;
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
    sn_free(lookup->further);
    *lookup = (sn_lookup){0};
}
