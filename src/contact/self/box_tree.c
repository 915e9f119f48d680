#include "contact/self/box_tree.h"

#include "base/array.h"
#include "base/threads.h"

#include <math.h>

const sn_small_box sn_no_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static size_t groups_of(size_t n)
{
    return (n + SN_BOX_TREE_FAN - 1) / SN_BOX_TREE_FAN;
}

sn_box_tree sn_box_tree_create(size_t leaves)
{
    sn_box_tree tree = {.count = {leaves}};
    size_t all = leaves;
    for (; tree.count[tree.top] > 1; tree.top++) {
        tree.count[tree.top + 1] = groups_of(tree.count[tree.top]);
        all += tree.count[tree.top + 1];
    }
    tree.level[0] = SN_NEW(sn_small_box, all);
    for (int l = 0; l < tree.top; l++)
        tree.level[l + 1] = tree.level[l] + tree.count[l];
    return tree;
}

void sn_box_tree_free(sn_box_tree *tree)
{
    sn_free(tree->level[0]);
    *tree = (sn_box_tree){0};
}

static sn_small_box around_children(const sn_box_tree *tree, int level, size_t at)
{
    sn_small_box box = sn_no_box;
    size_t end = (at + 1) * SN_BOX_TREE_FAN, last = tree->count[level - 1];
    for (size_t i = at * SN_BOX_TREE_FAN; i < end && i < last; i++)
        sn_small_box_include(&box, &tree->level[level - 1][i]);
    return box;
}

void sn_box_tree_fill(sn_box_tree *tree)
{
    for (int l = 1; l <= tree->top; l++) {
        bool threads = sn_worth_threads((int64_t)tree->count[l]);
#pragma omp parallel for if (threads)
        for (size_t i = 0; i < tree->count[l]; i++)
            tree->level[l][i] = around_children(tree, l, i);
    }
}
