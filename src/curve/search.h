/* Finding keys in a sorted array, many times.
 *
 * A plain binary search misses the cache at every step. The index keeps every 16th key,
 * every 256th, ... in arrays of their own, small enough to stay in the cache, and reads one
 * run of 16 keys a step. It points into the caller's array and needs it to stay. */
#ifndef SN_CURVE_SEARCH_H
#define SN_CURVE_SEARCH_H

#include "base/index.h"
#include "curve/octant.h"

#include <stddef.h>

enum { SN_SEARCH_LEVELS = 8 };

typedef struct {
    const sn_key *keys; /* ascending; equal keys allowed */
    size_t n;
    int levels;                       /* sampled levels above the keys themselves */
    sn_key *sample[SN_SEARCH_LEVELS]; /* sample[0] is the finest */
    size_t samples[SN_SEARCH_LEVELS];
} sn_search;

sn_search sn_search_create(const sn_key *keys, size_t n);
void sn_search_free(sn_search *search);

/* The first position whose key is not less than `key`; n if there is none. */
size_t sn_search_lower_bound(const sn_search *search, sn_key key);

/* The first position that holds exactly `key`, or SN_NONE. */
static inline sn_local sn_search_find(const sn_search *search, sn_key key)
{
    size_t at = sn_search_lower_bound(search, key);
    return at < search->n && search->keys[at] == key ? (sn_local)at : SN_NONE;
}

#endif
