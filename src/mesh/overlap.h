/* Which cells does a triangle overlap? Exactly, in integers.
 *
 * Knows the triangle on a fixed-point grid and the separating-axis test against the closed
 * cubes of the octree; touching counts as overlap. Hides the arithmetic: after the snap nothing
 * is rounded, so the answer is the same on every machine, and two triangles that share a vertex
 * share it exactly. Points and segments (degenerate triangles) are as welcome as others.
 *
 * The unit of the grid is the finest cell; a coordinate has SN_GRID_FRACTION_BITS bits behind
 * the point. The snap moves a vertex by at most 2^-13 of a cell in each coordinate. */
#ifndef SN_MESH_OVERLAP_H
#define SN_MESH_OVERLAP_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SN_GRID_FRACTION_BITS = 12,
    SN_GRID_BITS = 16, /* cells along an edge of the root cube: 2^16 */
};

/* Fixed-point corners. Each coordinate is within +-2^28, that is 65,536 cells. */
typedef struct {
    int32_t p[3][3];
} sn_grid_triangle;

typedef SN_VECTOR(uint64_t) sn_keys;

/* The grid point nearest to `v`; (v - origin) / cell must be within +-65,536. */
void sn_grid_snap(const double v[3], const double origin[3], double cell, int32_t out[3]);

/* Does the triangle meet the closed cube [anchor, anchor + 2^height], in cells? */
bool sn_triangle_overlaps_box(const sn_grid_triangle *triangle, const int32_t cell_anchor[3],
                              int height);

/* Does the triangle need a cell that it overlaps? It does if it passes through the cell's interior,
 * or if it has an area in one of the cell's faces and the cell is behind it: at the side that its
 * normal points away from, or towards with a `sense` of -1. Who touches a cell from outside, or at
 * an edge, leaves it to others. Where the grid ends behind the triangle, the cell before it takes
 * its place. */
bool sn_triangle_needs_cell(const sn_grid_triangle *triangle, const int32_t cell[3],
                            const int32_t grid_cells[3], int sense);

/* Appends the Morton keys of all finest cells within [0, grid_cells) that the triangle
 * overlaps: each once, in no promised order. The cost follows the number of cells found. */
void sn_triangle_rasterise(const sn_grid_triangle *triangle, const int32_t grid_cells[3],
                           sn_keys *keys);

#endif
