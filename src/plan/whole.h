/* A level of the hierarchy on one rank, however many it was built on.
 *
 * Rank 0 gets all octants, the conforming nodes of all elements by their number along the curve,
 * and their coarse copies where there are any; of the octree's other members only counts and bodies
 * are set. */
#ifndef SN_PLAN_WHOLE_H
#define SN_PLAN_WHOLE_H

#include "octree/octree.h"

typedef struct {
    sn_octree tree; /* empty on other ranks */
    bool borrowed;  /* the arrays are those of the level itself */
} sn_whole_level;

/* Collective. The level must be partitioned along the curve and stay. Fails if it is too large to
 * be numbered on one rank. */
SN_CHECKED sn_status sn_whole_level_gather(const sn_octree *level, sn_whole_level *whole);
void sn_whole_level_free(sn_whole_level *whole);

#endif
