/* A tree of boxes, to find those that meet.
 *
 * Leaves stand in an order in which near ones are close to each other, as along the curve; four
 * neighbours have a box around them, four of those one again, and so on:
 *
 *     level 2                 0
 *     level 1        0                 1             The tree's shape follows from the number of
 *     level 0     0 1 2 3           4 5              leaves alone, and boxes are filled in anew
 *                                                    wherever the surface goes.
 *
 * Boxes are in single precision. */
#ifndef SN_CONTACT_SELF_BOX_TREE_H
#define SN_CONTACT_SELF_BOX_TREE_H

#include <stdbool.h>
#include <stddef.h>

enum { SN_BOX_TREE_FAN = 4, SN_BOX_TREE_LEVELS = 33 };

typedef struct {
    float min[3], max[3];
} sn_small_box;

/* Nothing: meets no box, and adds nothing to one. */
extern const sn_small_box sn_no_box;

static inline bool sn_small_boxes_meet(const sn_small_box *a, const sn_small_box *b)
{
    return a->min[0] <= b->max[0] && b->min[0] <= a->max[0] && a->min[1] <= b->max[1] &&
           b->min[1] <= a->max[1] && a->min[2] <= b->max[2] && b->min[2] <= a->max[2];
}

static inline void sn_small_box_include(sn_small_box *box, const sn_small_box *other)
{
    for (int d = 0; d < 3; d++) {
        box->min[d] = other->min[d] < box->min[d] ? other->min[d] : box->min[d];
        box->max[d] = other->max[d] > box->max[d] ? other->max[d] : box->max[d];
    }
}

typedef struct {
    int top;                                 /* the level with one box */
    size_t count[SN_BOX_TREE_LEVELS];        /* of boxes on each level */
    sn_small_box *level[SN_BOX_TREE_LEVELS]; /* level[0]: the leaves, for the caller to fill */
} sn_box_tree;

/* The boxes are not set. */
sn_box_tree sn_box_tree_create(size_t leaves);
void sn_box_tree_free(sn_box_tree *tree);

/* All boxes above the leaves, when those are filled. */
void sn_box_tree_fill(sn_box_tree *tree);

/* A box of the tree, while one goes through it in the order of leaves. */
typedef struct {
    int level;
    size_t at;
} sn_box_place;

static inline bool sn_box_tree_is_past(const sn_box_tree *tree, sn_box_place p)
{
    return p.at >= tree->count[p.level];
}

static inline sn_box_place sn_box_tree_below(sn_box_place p)
{
    return (sn_box_place){p.level - 1, p.at * SN_BOX_TREE_FAN};
}

/* The next one that is not below p; past the end if there is none. */
static inline sn_box_place sn_box_tree_after(const sn_box_tree *tree, sn_box_place p)
{
    p.at++;
    while (p.level < tree->top && (p.at % SN_BOX_TREE_FAN == 0 || p.at == tree->count[p.level])) {
        p.at = (p.at + SN_BOX_TREE_FAN - 1) / SN_BOX_TREE_FAN;
        p.level++;
    }
    return p;
}

#endif
