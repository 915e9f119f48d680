/* The separating half-spaces of a triangle: inside knowledge of overlap.c and rasterise.c.
 *
 * A triangle T and a cube B meet exactly when the origin lies in the Minkowski sum of T and -B,
 * a convex body bounded by half-spaces of three kinds:
 *   - the six faces of the cube: a comparison of ranges of cells;
 *   - the two sides of the triangle's plane;
 *   - for each of the three projections along an axis, the three edges of the projected
 *     triangle, outer side only. A projection of zero area has instead the two sides of a line.
 * For each half-space, `slack` is the largest value of its linear function over the cube: it is
 * negative exactly when the half-space separates the two.
 *
 * Going down from a cube to one of its eight children changes a slack by a fixed amount for each
 * level, so a test is a handful of additions.
 *
 * Bits: corners reach 2^28, those of cubes 2^29, since a cube may stick out of the grid. An edge
 * function has gradients of 2^29 and values under 2 * 2^29 * (2^28 + 2^29) < 2^60: int64. The
 * normal has components up to 2^59 and the plane's values stay under 2^92: __int128. */
#ifndef SN_MESH_SEPARATOR_H
#define SN_MESH_SEPARATOR_H

#include "mesh/overlap.h"

enum { SN_LANES = 12, SN_SIDES = 2 };

typedef int64_t sn_lanes4 __attribute__((vector_size(32)));
typedef __int128 sn_wide;

typedef struct {
    union {
        int64_t edge[SN_LANES]; /* nine; lanes past them stay 0 and never separate */
        sn_lanes4 edge4[SN_LANES / 4];
    };
    sn_wide plane[SN_SIDES];
} sn_slacks;

typedef struct {
    int32_t gradient[3][SN_LANES];
    int64_t offset[SN_LANES];
    int64_t normal[3];
    sn_wide plane_offset;
    int32_t low[3], high[3]; /* the range of cells that the bounding box meets */
} sn_separator;

static inline bool sn_planes_separate(const sn_slacks *s)
{
    return s->plane[0] < 0 || s->plane[1] < 0;
}

static inline bool sn_edges_separate(const sn_slacks *s)
{
    sn_lanes4 any = s->edge4[0] | s->edge4[1] | s->edge4[2];
    return ((any[0] | any[1]) | (any[2] | any[3])) < 0;
}

/* The range of cells that the triangle's bounding box meets. */
void sn_cell_range(const sn_grid_triangle *t, int32_t low[3], int32_t high[3]);

void sn_separator_of(const sn_grid_triangle *t, sn_separator *s);

/* The slacks of a cube, `anchor` in cells and `edge` in fixed point. */
void sn_slacks_of_box(const sn_separator *s, const int32_t anchor[3], int64_t edge, sn_slacks *out);

#endif
