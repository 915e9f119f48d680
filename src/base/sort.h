/* Sorting by 64-bit keys on one rank, with all its threads, stably and in linear time.
 *
 * A least-digit-first radix sort: no worst case for unlucky input, equal keys keep their
 * order, digits in which all keys agree cost nothing, and the result does not depend on the
 * number of threads. Longer keys are sorted piece by piece, the last piece first. */
#ifndef SN_BASE_SORT_H
#define SN_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

void sn_sort_keys(uint64_t *keys, size_t n);

/* Sorts and drops duplicates; returns how many are left. */
size_t sn_sort_unique_keys(uint64_t *keys, size_t n);

/* Sorts `keys`; each companion goes where its key goes. */
void sn_sort_keys_with(uint64_t *keys, uint32_t *companions, size_t n);

/* Sorts `keys` and fills `order` with where each of them was. */
void sn_sort_keys_with_order(uint64_t *keys, uint32_t *order, size_t n);

/* Sorts records of any size by the key that each of them starts with. */
void sn_sort_records(void *records, size_t record_bytes, size_t n);

/* A key that orders as the numbers do; both zeros have the same. Not for NaN. */
uint64_t sn_key_of_double(double x);

#endif
