#include "contact/self/box_tree.h"

#include "base/array.h"
#include "base/threads.h"
#include "contact/self/lanes.h"

#include <math.h>

const sn_small_box sn_no_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static size_t packs_of(size_t n)
{
    return (n + SN_BOX_PACK - 1) / SN_BOX_PACK;
}

static void put(sn_box_pack *pack, size_t i, const sn_small_box *box)
{
    for (int d = 0; d < 3; d++) {
        pack[i / SN_BOX_PACK].min[d][i % SN_BOX_PACK] = box->min[d];
        pack[i / SN_BOX_PACK].max[d][i % SN_BOX_PACK] = box->max[d];
    }
}

static sn_small_box get(const sn_box_pack *pack, size_t i)
{
    sn_small_box box;
    for (int d = 0; d < 3; d++) {
        box.min[d] = pack[i / SN_BOX_PACK].min[d][i % SN_BOX_PACK];
        box.max[d] = pack[i / SN_BOX_PACK].max[d][i % SN_BOX_PACK];
    }
    return box;
}

static void clear_rest(sn_box_pack *pack, size_t n)
{
    for (size_t i = n; i < packs_of(n) * SN_BOX_PACK; i++)
        put(pack, i, &sn_no_box);
}

sn_box_tree sn_box_tree_create(size_t leaves)
{
    sn_box_tree tree = {.leaves = leaves};
    for (size_t n = leaves; n > 0; n = n == 1 ? 0 : n) {
        tree.pack[tree.levels] = SN_NEW(sn_box_pack, packs_of(n));
        clear_rest(tree.pack[tree.levels++], n);
        n = packs_of(n);
    }
    return tree;
}

void sn_box_tree_free(sn_box_tree *tree)
{
    for (int l = 0; l < tree->levels; l++)
        sn_free(tree->pack[l]);
    *tree = (sn_box_tree){0};
}

void sn_box_tree_set(sn_box_tree *tree, size_t leaf, sn_small_box box)
{
    put(tree->pack[0], leaf, &box);
}

sn_small_box sn_box_tree_leaf(const sn_box_tree *tree, size_t leaf)
{
    return get(tree->pack[0], leaf);
}

static sn_small_box around_pack(const sn_box_pack *pack)
{
    sn_small_box box = sn_no_box;
    for (size_t i = 0; i < SN_BOX_PACK; i++) {
        sn_small_box one = get(pack, i);
        sn_small_box_include(&box, &one);
    }
    return box;
}

void sn_box_tree_fill(sn_box_tree *tree)
{
    size_t n = packs_of(tree->leaves);
    for (int l = 1; l < tree->levels; l++, n = packs_of(n)) {
        bool threads = sn_worth_threads((int64_t)n);
#pragma omp parallel for if (threads)
        for (size_t i = 0; i < n; i++) {
            sn_small_box box = around_pack(&tree->pack[l - 1][i]);
            put(tree->pack[l], i, &box);
        }
    }
}

/* A bit for each of the boxes that meets this one. */
static unsigned meeting(const sn_box_pack *pack, const sn_small_box *box)
{
    sn_lane_mask meets = {0};
    meets = ~meets;
    for (int d = 0; d < 3; d++)
        meets &= (sn_lanes_load(pack->min[d]) <= box->max[d]) &
                 (sn_lanes_load(pack->max[d]) >= box->min[d]);
    return sn_lanes_bits(meets);
}

/* The pack of a level, below which leaves from `first` on are asked. False: that was enough. */
static bool visit(const sn_box_tree *tree, int level, size_t pack, const sn_small_box *box,
                  size_t first, sn_box_met meet, void *context)
{
    const sn_box_pack *p = &tree->pack[level][pack];
    size_t start = pack * SN_BOX_PACK, least = first;
    for (int l = 0; l < level; l++)
        least /= SN_BOX_PACK;
    unsigned hits = meeting(p, box);
    if (least > start)
        hits &= ~((1u << (least - start < SN_BOX_PACK ? least - start : SN_BOX_PACK)) - 1);
    for (; hits != 0; hits &= hits - 1) {
        size_t i = start + (size_t)__builtin_ctz(hits);
        if (level == 0 ? !meet(context, i) : !visit(tree, level - 1, i, box, first, meet, context))
            return false;
    }
    return true;
}

void sn_box_tree_visit(const sn_box_tree *tree, const sn_small_box *box, size_t first,
                       sn_box_met meet, void *context)
{
    if (tree->levels > 0)
        visit(tree, tree->levels - 1, 0, box, first, meet, context);
}
