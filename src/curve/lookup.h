/* Finding many keys that lie near each other on the curve, quickly.
 *
 * Sorted distinct keys are packed into blocks of 512 places (8 x 8 x 8 points of the finest
 * lattice, one run of the curve): a bit for each place that is taken, and the position of the
 * block's first key. A key's position is then that position plus the bits before its own. A
 * walk along the curve asks in the same few blocks again and again, so each walker remembers
 * where the last blocks around it were, and nearly every answer comes out of the cache. */
#ifndef SN_CURVE_LOOKUP_H
#define SN_CURVE_LOOKUP_H

#include "base/index.h"
#include "curve/search.h"

enum { SN_LOOKUP_BITS = 9, SN_LOOKUP_WORDS = 8, SN_LOOKUP_REMEMBERED = 64 };

typedef struct {
    uint64_t taken[SN_LOOKUP_WORDS];
    uint16_t before[SN_LOOKUP_WORDS]; /* keys of the block in earlier words */
    sn_local first;                   /* position of the block's first key */
} sn_lookup_block;

typedef struct {
    size_t n_blocks;
    sn_key *block_key; /* key >> SN_LOOKUP_BITS, ascending */
    sn_lookup_block *block;
    sn_search search; /* of block_key */
} sn_lookup;

/* `keys` ascend without duplicates; they may go away afterwards. */
sn_lookup sn_lookup_create(const sn_key *keys, size_t n);
void sn_lookup_free(sn_lookup *lookup);

/* What a walker remembers. One for each thread and lookup, empty to begin with. */
typedef struct {
    sn_key known[SN_LOOKUP_REMEMBERED];              /* block key + 1; 0 is nothing */
    const sn_lookup_block *at[SN_LOOKUP_REMEMBERED]; /* NULL: there is no such block */
} sn_lookup_memory;

static inline const sn_lookup_block *sn_lookup_find_block(const sn_lookup *lookup,
                                                          sn_lookup_memory *memory, sn_key block)
{
    /* The low bits of a block's key tell neighbours apart: 4 x 4 x 4 blocks are remembered. */
    size_t slot = block % SN_LOOKUP_REMEMBERED;
    if (memory->known[slot] != block + 1) {
        sn_local at = sn_search_find(&lookup->search, block);
        memory->known[slot] = block + 1;
        memory->at[slot] = at == SN_NONE ? NULL : &lookup->block[at];
    }
    return memory->at[slot];
}

/* The position of a key, or SN_NONE. */
static inline sn_local sn_lookup_find(const sn_lookup *lookup, sn_lookup_memory *memory, sn_key key)
{
    const sn_lookup_block *b = sn_lookup_find_block(lookup, memory, key >> SN_LOOKUP_BITS);
    size_t word = key >> 6 & (SN_LOOKUP_WORDS - 1);
    uint64_t bit = UINT64_C(1) << (key & 63);
    if (!b || !(b->taken[word] & bit))
        return SN_NONE;
    return b->first + b->before[word] + (sn_local)__builtin_popcountll(b->taken[word] & (bit - 1));
}

#endif
