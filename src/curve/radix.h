/* Sorting keys on one rank: a least-digit-first radix sort that skips the digits in which
 * all keys agree, so that a small forest costs few passes. */
#ifndef SN_CURVE_RADIX_H
#define SN_CURVE_RADIX_H

#include "curve/octant.h"

#include <stddef.h>

void sn_sort_keys(sn_key *keys, size_t n);

/* Sorts and drops duplicates; returns how many are left. */
size_t sn_sort_unique_keys(sn_key *keys, size_t n);

/* Sorts `keys` and fills `order` with where each of them was (stable). */
void sn_sort_keys_with_order(sn_key *keys, uint32_t *order, size_t n);

#endif
