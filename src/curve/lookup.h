/* Finding many keys that lie near each other on the curve, quickly.
 *
 * Sorted distinct keys are packed into blocks of 512 places (8 x 8 x 8 points of the finest
 * lattice, one run of the curve): a bit for each place whose first copy is there, and the position
 * of the block's first key. A key's position is then that position plus the bits before its own.
 * Further copies are few, and are listed: those before a key count as well. A walk along the curve
 * asks in the same few blocks again and again, so each walker remembers where the last blocks
 * around it were, and nearly every answer comes out of the cache. */
#ifndef SN_CURVE_LOOKUP_H
#define SN_CURVE_LOOKUP_H

#include "base/index.h"
#include "curve/search.h"

enum { SN_LOOKUP_BITS = 9, SN_LOOKUP_WORDS = 8, SN_LOOKUP_REMEMBERED = 64 };

typedef struct {
    uint64_t taken[SN_LOOKUP_WORDS];
    uint16_t before[SN_LOOKUP_WORDS]; /* keys of the block in earlier words */
    sn_local first;                   /* position of the block's first key */
    sn_local further;                 /* where the block's further copies start */
} sn_lookup_block;

typedef struct {
    size_t n_blocks;
    sn_key *block_key;      /* of the places in them: see sn_lookup_block_of, ascending */
    sn_lookup_block *block; /* one more, for where further copies end */
    sn_key *further;        /* keys that are not first copies, ascending */
    sn_search search;       /* of block_key */
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

static inline sn_key sn_lookup_block_of(sn_key key)
{
    return key >> (SN_COPY_BITS + SN_LOOKUP_BITS);
}

/* How many of a block's further copies are before a key. */
static inline sn_local sn_lookup_further_before(const sn_lookup *lookup, const sn_lookup_block *b,
                                                sn_key key)
{
    sn_local n = 0;
    while (b->further + n < b[1].further && lookup->further[b->further + n] < key)
        n++;
    return n;
}

/* The position of a key, or SN_NONE. */
static inline sn_local sn_lookup_find(const sn_lookup *lookup, sn_lookup_memory *memory, sn_key key)
{
    const sn_lookup_block *b = sn_lookup_find_block(lookup, memory, sn_lookup_block_of(key));
    if (!b)
        return SN_NONE;
    uint64_t place = key >> SN_COPY_BITS;
    size_t word = place >> 6 & (SN_LOOKUP_WORDS - 1);
    uint64_t bit = UINT64_C(1) << (place & 63), upto = bit - 1;
    sn_local further = sn_lookup_further_before(lookup, b, key);
    if (sn_key_copy(key) > 0) {
        sn_local at = b->further + further;
        if (at == b[1].further || lookup->further[at] != key)
            return SN_NONE;
        upto |= bit;
    } else if (!(b->taken[word] & bit)) {
        return SN_NONE;
    }
    return b->first + b->before[word] + further +
           (sn_local)__builtin_popcountll(b->taken[word] & upto);
}

#endif
