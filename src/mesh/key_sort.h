/* Sorting by 64-bit keys, in linear time and stably.
 *
 * A radix sort: no worst case for unlucky input, equal keys keep their order, and bytes that
 * all keys share cost nothing. Longer keys are sorted piece by piece, the last piece first. */
#ifndef SN_MESH_KEY_SORT_H
#define SN_MESH_KEY_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t key;
    int64_t value;
} sn_keyed;

/* Ascending by key. */
void sn_key_sort(sn_keyed *items, size_t count);

/* A key that orders as the numbers do; both zeros have the same. Not for NaN. */
uint64_t sn_key_of_double(double x);

#endif
