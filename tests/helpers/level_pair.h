/* Two levels and what goes between them, with values that depend on a key only: the same on any
 * partition, so that results can be compared by key. */
#ifndef SN_TESTS_LEVEL_PAIR_H
#define SN_TESTS_LEVEL_PAIR_H

#include "transfer/transfer.h"

typedef struct {
    const sn_octree *fine, *coarse;
    sn_transfer transfer;
    sn_key *fine_node, *coarse_node;
    sn_leaves fine_element, coarse_element;
} level_pair;

/* Collective. */
SN_CHECKED sn_status level_pair_create(const sn_octree *fine, const sn_octree *coarse,
                                       level_pair *pair);
void level_pair_free(level_pair *pair);

/* A number between -1 and 1, and a whole one between -1000 and 1000. */
double key_random(sn_key key, int salt);
double key_integer(sn_key key, int salt);

/* `room` entries of `reals` values, random or whole, for the first n keys. */
double *key_values(const sn_key *keys, sn_local n, sn_local room, int reals,
                   double (*value)(sn_key key, int salt));

/* Slow and obvious, on one rank alone. The coarse function with these nodal values (one a node)
 * at the point that a key names: in the largest coarse element that has it. */
double oracle_interpolate(const level_pair *pair, const double *coarse, sn_key point);

/* The sum of one value over the fine elements inside a coarse one, and their number. */
double oracle_sum(const level_pair *pair, const double *fine, sn_local coarse, int *count);

#endif
