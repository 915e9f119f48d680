/* Sixteen triangles in single precision: which of them another one may pass through.
 *
 * Whatever cannot be told is left to exact arithmetic (exact.h). Places are as seen from the grid's
 * origin, in units of its size, so that they are within 0 and 1, and lie within a known hair of
 * where the snap puts them. Boxes are larger by that hair, and what is surely on one side of a
 * plane is so after the snap. All lanes are asked at once: most triangles that are near each other
 * are neighbours of a smooth surface, and end here. */
#ifndef SN_CONTACT_SELF_LEAF_H
#define SN_CONTACT_SELF_LEAF_H

#include "contact/self/box_tree.h"
#include "contact/self/exact.h"
#include "contact/self/lanes.h"
#include "contact/self/patches.h"

enum { SN_SELF_LEAF = SN_SELF_LANES };

typedef struct {
    sn_lane_reals min[3], max[3]; /* boxes; those of empty lanes meet nothing */
    sn_lane_reals at[3][3];       /* of each corner */
    sn_lane_mask number[3];       /* of corners: the lower bits, a node has no room for more */
} sn_self_leaf;

/* All lanes are empty. */
void sn_self_leaf_clear(sn_self_leaf *leaf);
/* Puts a triangle into a lane: where its corners are, and their numbers. */
void sn_self_leaf_set(sn_self_leaf *leaf, int lane, const sn_exact_grid *grid,
                      const double *const at[3], const int64_t number[3]);

/* The triangles of a patch, of which the corners are at `place` and have these numbers. */
void sn_self_leaf_of_patch(sn_self_leaf *leaf, const sn_self_patch *patch,
                           const sn_lane_reals place[3], sn_lane_mask number);

sn_small_box sn_self_leaf_box(const sn_self_leaf *leaf, int lane);
/* Around all of them. */
sn_small_box sn_self_leaf_whole(const sn_self_leaf *leaf);

/* A bit for each lane whose box meets this one. */
unsigned sn_self_leaf_meeting(const sn_self_leaf *leaf, const sn_small_box *box);

/* A bit for each lane of b, of those in `asked`, whose triangle may have an edge that passes
 * through a's in this lane, or the other way round, but for edges that end at a common corner. */
unsigned sn_self_leaf_crossing(const sn_self_leaf *a, int lane, const sn_self_leaf *b,
                               unsigned asked);

#endif
