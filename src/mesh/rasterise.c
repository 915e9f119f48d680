#include "curve/morton.h"
#include "mesh/separator.h"

enum { CHILDREN = 8 };

/* What a child's sn_slacks differ from its parent's, for children of one height. */
typedef struct {
    sn_slacks child[CHILDREN];
} steps;

typedef struct {
    steps level[SN_GRID_BITS]; /* by the children's height */
    int32_t low[3], high[3];
    sn_keys *keys;
} raster;

/* The steps to children that are finest cells. */
static void finest_steps(const sn_separator *s, steps *out)
{
    const int64_t edge = 1 << SN_GRID_FRACTION_BITS;
    for (int o = 0; o < CHILDREN; o++) {
        sn_slacks *child = &out->child[o];
        *child = (sn_slacks){0};
        for (int d = 0; d < 3; d++) {
            bool upper = o >> d & 1;
            for (int lane = 0; lane < SN_LANES; lane++) {
                int64_t g = s->gradient[d][lane];
                child->edge[lane] += edge * ((upper ? g : 0) - sn_positive_part(g));
            }
            int64_t n = s->normal[d];
            child->plane[0] += (sn_wide)edge * ((upper ? n : 0) - sn_positive_part(n));
            child->plane[1] += (sn_wide)edge * ((upper ? -n : 0) - sn_positive_part(-n));
        }
    }
}

static void double_steps(const steps *half, steps *out)
{
    for (int o = 0; o < CHILDREN; o++) {
        for (int i = 0; i < SN_LANES / 4; i++)
            out->child[o].edge4[i] = half->child[o].edge4[i] + half->child[o].edge4[i];
        for (int side = 0; side < SN_SIDES; side++)
            out->child[o].plane[side] = 2 * half->child[o].plane[side];
    }
}

/* One bit for each child, of edge `half`, that meets the range of cells. */
static unsigned children_in_range(const raster *r, const int32_t anchor[3], int32_t half)
{
    static const unsigned lower_children[3] = {0x55, 0x33, 0x0f};
    unsigned found = 0xff;
    for (int d = 0; d < 3; d++) {
        int32_t middle = anchor[d] + half;
        unsigned lower = r->low[d] < middle && r->high[d] >= anchor[d] ? lower_children[d] : 0;
        unsigned upper =
            r->high[d] >= middle && r->low[d] < middle + half ? 0xff ^ lower_children[d] : 0;
        found &= lower | upper;
    }
    return found;
}

/* The sn_slacks of child `o`, and whether the triangle overlaps it. The planes reject most. */
static inline bool child_overlaps(const sn_slacks *parent, const sn_slacks *step, sn_slacks *child)
{
    for (int side = 0; side < SN_SIDES; side++)
        child->plane[side] = parent->plane[side] + step->plane[side];
    if (sn_planes_separate(child))
        return false;
    for (int i = 0; i < SN_LANES / 4; i++)
        child->edge4[i] = parent->edge4[i] + step->edge4[i];
    return !sn_edges_separate(child);
}

/* Visits an octant that the triangle overlaps; `height` is at least 1. */
static void descend(raster *r, const int32_t anchor[3], int height, uint64_t key,
                    const sn_slacks *parent)
{
    int lower = height - 1;
    int32_t half = 1 << lower;
    for (unsigned left = children_in_range(r, anchor, half); left; left &= left - 1) {
        unsigned o = (unsigned)__builtin_ctz(left);
        uint64_t child_key = key + ((uint64_t)o << (3 * lower));
        sn_slacks child;
        if (!child_overlaps(parent, &r->level[lower].child[o], &child))
            continue;
        if (lower == 0) {
            sn_push(r->keys, child_key);
            continue;
        }
        int32_t child_anchor[3];
        for (int d = 0; d < 3; d++)
            child_anchor[d] = anchor[d] + (o >> d & 1 ? half : 0);
        descend(r, child_anchor, lower, child_key, &child);
    }
}

static uint64_t key_of(const int32_t cell[3])
{
    return sn_morton((uint32_t)cell[0], (uint32_t)cell[1], (uint32_t)cell[2]);
}

/* A bounding box of one cell, or a row of cells along one axis: the triangle is connected and
 * reaches both ends of its bounding box, so it overlaps all of them. */
static void push_row(raster *r)
{
    int32_t cell[3];
    for (cell[2] = r->low[2]; cell[2] <= r->high[2]; cell[2]++)
        for (cell[1] = r->low[1]; cell[1] <= r->high[1]; cell[1]++)
            for (cell[0] = r->low[0]; cell[0] <= r->high[0]; cell[0]++)
                sn_push(r->keys, key_of(cell));
}

/* At most 2 x 2 x 2 cells, wherever they lie: the children of a block that need not be aligned. */
static void push_block(raster *r, const sn_separator *s)
{
    sn_slacks block, child;
    finest_steps(s, &r->level[0]);
    sn_slacks_of_box(s, r->low, (int64_t)2 << SN_GRID_FRACTION_BITS, &block);
    for (unsigned left = children_in_range(r, r->low, 1); left; left &= left - 1) {
        unsigned o = (unsigned)__builtin_ctz(left);
        if (!child_overlaps(&block, &r->level[0].child[o], &child))
            continue;
        int32_t cell[3];
        for (int d = 0; d < 3; d++)
            cell[d] = r->low[d] + (int32_t)(o >> d & 1);
        sn_push(r->keys, key_of(cell));
    }
}

/* The octants of edge 2^height >= the range: at most two along each axis. */
static void push_descending(raster *r, const sn_separator *s, int height)
{
    finest_steps(s, &r->level[0]);
    for (int level = 1; level < height; level++)
        double_steps(&r->level[level - 1], &r->level[level]);

    int32_t first[3], size = 1 << height, a[3];
    for (int d = 0; d < 3; d++)
        first[d] = r->low[d] & -size;
    for (a[2] = first[2]; a[2] <= r->high[2]; a[2] += size)
        for (a[1] = first[1]; a[1] <= r->high[1]; a[1] += size)
            for (a[0] = first[0]; a[0] <= r->high[0]; a[0] += size) {
                sn_slacks octant;
                sn_slacks_of_box(s, a, (int64_t)size << SN_GRID_FRACTION_BITS, &octant);
                if (!sn_planes_separate(&octant) && !sn_edges_separate(&octant))
                    descend(r, a, height, key_of(a), &octant);
            }
}

void sn_triangle_rasterise(const sn_grid_triangle *triangle, const int32_t grid_cells[3],
                           sn_keys *keys)
{
    raster r;
    int32_t longest = 0;
    int wide_axes = 0;
    r.keys = keys;
    sn_cell_range(triangle, r.low, r.high);
    for (int d = 0; d < 3; d++) {
        wide_axes += r.high[d] > r.low[d];
        r.low[d] = r.low[d] < 0 ? 0 : r.low[d];
        r.high[d] = r.high[d] >= grid_cells[d] ? grid_cells[d] - 1 : r.high[d];
        if (r.low[d] > r.high[d])
            return;
        int32_t cells = r.high[d] - r.low[d] + 1;
        longest = cells > longest ? cells : longest;
    }
    if (wide_axes <= 1) {
        push_row(&r);
        return;
    }
    sn_separator s;
    sn_separator_of(triangle, &s);
    if (longest <= 2)
        push_block(&r, &s);
    else
        push_descending(&r, &s, 32 - __builtin_clz((unsigned)longest - 1));
}
