#include "octree/thin.h"

#include "base/array.h"

static bool hangs(const sn_octree *tree, sn_local element, int corner)
{
    return tree->hanging[element] >> corner & 1;
}

/* How many elements have a corner at each local node: their owners know it of all. */
static uint8_t *meeting_at_nodes(sn_octree *tree)
{
    uint8_t *meeting = SN_NEW_ZERO(uint8_t, tree->n_nodes + tree->n_ghost_nodes);
    for (sn_local e = 0; e < tree->n_elements + tree->n_ghost_elements; e++)
        for (int c = 0; c < 8; c++)
            if (!hangs(tree, e, c))
                meeting[tree->conforming[e][c]]++;
    sn_exchange_begin(&tree->exchange, meeting, sizeof *meeting);
    sn_exchange_end(&tree->exchange);
    return meeting;
}

static bool is_thin(const sn_octree *tree, sn_local element, const uint8_t *meeting)
{
    for (int c = 0; c < 8; c++)
        if (hangs(tree, element, c) || meeting[tree->conforming[element][c]] == 8)
            return false;
    return true;
}

/* What is counted of a body, over all ranks. Volumes are in finest cells. */
typedef struct {
    int64_t elements, thin;
    int64_t small, large; /* the volume of the level's smallest elements, and of the others */
    int64_t all;          /* of all elements of the finest level */
} count;

enum { COUNTS = sizeof(count) / sizeof(int64_t) };

static int64_t volume_of(int height)
{
    return INT64_C(1) << 3 * height;
}

static void count_level(sn_octree *tree, int level, count *of_body)
{
    uint8_t *meeting = meeting_at_nodes(tree);
    sn_leaves element = sn_octree_elements(tree);
    for (sn_local e = 0; e < tree->n_elements; e++) {
        count *c = &of_body[sn_key_body(element.key[e])];
        int height = element.height[e];
        c->elements++;
        c->thin += is_thin(tree, e, meeting);
        *(height > level ? &c->large : &c->small) += volume_of(height);
    }
    sn_leaves_free(&element);
    sn_free(meeting);
}

static void count_finest(const sn_octree *finest, count *of_body)
{
    sn_leaves element = sn_octree_elements(finest);
    for (sn_local e = 0; e < finest->n_elements; e++)
        of_body[sn_key_body(element.key[e])].all += volume_of(element.height[e]);
    sn_leaves_free(&element);
}

static sn_level_shape shape_of(const count *c)
{
    return (sn_level_shape){.elements = c->elements,
                            .thin = c->thin,
                            .full =
                                c->small > 0 ? (double)(c->all - c->large) / (double)c->small : 1,
                            .deep = c->all > 0 ? (double)c->large / (double)c->all : 0};
}

void sn_level_shapes(sn_hierarchy *forest, int level, sn_level_shape *of_body)
{
    int n = (int)forest->bodies->n;
    count *counts = SN_NEW_ZERO(count, n);
    count_level(&forest->level[level], level, counts);
    count_finest(&forest->level[0], counts);
    MPI_Allreduce(MPI_IN_PLACE, counts, COUNTS * n, MPI_INT64_T, MPI_SUM, forest->level[0].comm);
    for (int b = 0; b < n; b++)
        of_body[b] = shape_of(&counts[b]);
    sn_free(counts);
}
