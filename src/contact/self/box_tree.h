/* A tree of boxes, to find those that meet.
 *
 * Leaves stand in an order in which near ones are close to each other, as along the curve; sixteen
 * neighbours are a pack and have a box around them, sixteen of those are a pack again, and so on up
 * to one pack. All boxes of a pack are asked at once. The tree's shape follows from the number of
 * leaves alone, and boxes are filled in anew wherever the surface goes.
 *
 * Boxes are in single precision. */
#ifndef SN_CONTACT_SELF_BOX_TREE_H
#define SN_CONTACT_SELF_BOX_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum { SN_BOX_PACK = 16, SN_BOX_TREE_LEVELS = 17 };

typedef struct {
    float min[3], max[3];
} sn_small_box;

/* Nothing: meets no box, and adds nothing to one. */
extern const sn_small_box sn_no_box;

typedef struct {
    _Alignas(64) float min[3][SN_BOX_PACK];
    float max[3][SN_BOX_PACK];
} sn_box_pack;

static inline void sn_small_box_include(sn_small_box *box, const sn_small_box *other)
{
    for (int d = 0; d < 3; d++) {
        box->min[d] = other->min[d] < box->min[d] ? other->min[d] : box->min[d];
        box->max[d] = other->max[d] > box->max[d] ? other->max[d] : box->max[d];
    }
}

typedef struct {
    int levels;
    size_t leaves;
    sn_box_pack *pack[SN_BOX_TREE_LEVELS]; /* of each level: leaves first, one pack at the top */
} sn_box_tree;

/* The boxes are not set. */
sn_box_tree sn_box_tree_create(size_t leaves);
void sn_box_tree_free(sn_box_tree *tree);

/* Sets a leaf; different ones from different threads. */
void sn_box_tree_set(sn_box_tree *tree, size_t leaf, sn_small_box box);
sn_small_box sn_box_tree_leaf(const sn_box_tree *tree, size_t leaf);

/* All boxes above the leaves, when those are set. */
void sn_box_tree_fill(sn_box_tree *tree);

/* Calls `meet` for each leaf from `first` on whose box meets this one, in ascending order, until it
 * says that it has seen enough. */
typedef bool (*sn_box_met)(void *context, size_t leaf);
void sn_box_tree_visit(const sn_box_tree *tree, const sn_small_box *box, size_t first,
                       sn_box_met meet, void *context);

#endif
