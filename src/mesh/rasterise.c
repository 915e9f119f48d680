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

static inline void add_slacks(const sn_slacks *a, const sn_slacks *b, sn_slacks *sum)
{
    for (int i = 0; i < SN_LANES / 4; i++)
        sum->edge4[i] = a->edge4[i] + b->edge4[i];
    for (int side = 0; side < SN_SIDES; side++)
        sum->plane[side] = a->plane[side] + b->plane[side];
}

/* The part of axis `d` in the steps to a lower (0) and an upper (1) finest cell: the maximum
 * over the parent lies in one of them, and the other is an edge's worth of gradient below. */
static inline void axis_steps(const sn_separator *s, int d, sn_slacks part[2])
{
    for (int lane = 0; lane < SN_LANES; lane++) {
        int64_t g = (int64_t)s->gradient[d][lane] * (1 << SN_GRID_FRACTION_BITS);
        part[0].edge[lane] = g > 0 ? -g : 0;
        part[1].edge[lane] = g > 0 ? 0 : g;
    }
    sn_wide n = (sn_wide)s->normal[d] * (1 << SN_GRID_FRACTION_BITS), zero = 0;
    part[0].plane[0] = part[1].plane[1] = n > 0 ? -n : zero;
    part[1].plane[0] = part[0].plane[1] = n > 0 ? zero : n;
}

/* The steps to children that are finest cells. */
static void finest_steps(const sn_separator *s, steps *out)
{
    sn_slacks part[3][2], xy;
    for (int d = 0; d < 3; d++)
        axis_steps(s, d, part[d]);
    for (int o = 0; o < CHILDREN / 2; o++) {
        add_slacks(&part[0][o & 1], &part[1][o >> 1], &xy);
        add_slacks(&xy, &part[2][0], &out->child[o]);
        add_slacks(&xy, &part[2][1], &out->child[o + CHILDREN / 2]);
    }
}

static void double_steps(const steps *half, steps *out)
{
    for (int o = 0; o < CHILDREN; o++)
        add_slacks(&half->child[o], &half->child[o], &out->child[o]);
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

static inline void push_cell(raster *r, const int32_t cell[3])
{
    sn_push(r->keys, sn_morton((uint32_t)cell[0], (uint32_t)cell[1], (uint32_t)cell[2]));
}

/* Visits a block of edge 2^height, at least 2, that the triangle overlaps. */
static void descend(raster *r, const int32_t anchor[3], int height, const sn_slacks *parent)
{
    int lower = height - 1;
    int32_t half = 1 << lower;
    for (unsigned left = children_in_range(r, anchor, half); left; left &= left - 1) {
        unsigned o = (unsigned)__builtin_ctz(left);
        sn_slacks child;
        if (!child_overlaps(parent, &r->level[lower].child[o], &child))
            continue;
        int32_t child_anchor[3];
        for (int d = 0; d < 3; d++)
            child_anchor[d] = anchor[d] + (o >> d & 1 ? half : 0);
        if (lower == 0)
            push_cell(r, child_anchor);
        else
            descend(r, child_anchor, lower, &child);
    }
}

/* A bounding box of one cell, or a row of cells along one axis: the triangle is connected and
 * reaches both ends of its bounding box, so it overlaps all of them. */
static void push_row(raster *r)
{
    int32_t cell[3];
    for (cell[2] = r->low[2]; cell[2] <= r->high[2]; cell[2]++)
        for (cell[1] = r->low[1]; cell[1] <= r->high[1]; cell[1]++)
            for (cell[0] = r->low[0]; cell[0] <= r->high[0]; cell[0]++)
                push_cell(r, cell);
}

/* Starts from one block of edge 2^height that holds the range and begins where the range does.
 * Blocks need not be octants: only the cells' keys matter. */
static void push_overlapping(raster *r, const sn_grid_triangle *triangle, int height)
{
    sn_separator s;
    sn_slacks block;
    sn_separator_of(triangle, &s);
    finest_steps(&s, &r->level[0]);
    for (int level = 1; level < height; level++)
        double_steps(&r->level[level - 1], &r->level[level]);
    sn_slacks_of_box(&s, r->low, (int64_t)1 << (SN_GRID_FRACTION_BITS + height), &block);
    descend(r, r->low, height, &block);
}

void sn_triangle_rasterise(const sn_grid_triangle *triangle, const int32_t grid_cells[3],
                           sn_keys *keys)
{
    raster r;
    int32_t longest = 2;
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
    if (wide_axes <= 1)
        push_row(&r);
    else
        push_overlapping(&r, triangle, 32 - __builtin_clz((unsigned)longest - 1));
}
