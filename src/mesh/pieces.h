/* A triangle cut along the planes of a grid, and how much volume each piece has beneath it, where.
 *
 *          ______/|          A piece stands above its shadow on the floor of its cell. What it
 *         |     /:|          says about the cell is the shadow's area, and the volume between
 *         |    / :|          shadow and piece; and the moments of both, for where they are. All
 *         |___/__:|          are negative where the normal points down, so that the pieces of a
 *            shadow          closed surface add up to what it encloses (octree/columns.h).
 *
 * Lengths are in cells: the area of a face is 1, and so is the volume of a cell. Moments are about
 * the cell's lowest corner. The pieces of a
 * triangle add up to the triangle: nothing is lost between cells, and what lies in the plane of a
 * floor belongs to the cell above it. */
#ifndef SN_MESH_PIECES_H
#define SN_MESH_PIECES_H

#include "base/array.h"

#include <stdint.h>

/* What a piece says: the shadow's area and its moments along x and y, and the volume beneath with
 * its moments along all axes. */
enum {
    SN_SHADOW,
    SN_SHADOW_X,
    SN_SHADOW_Y,
    SN_BENEATH,
    SN_BENEATH_X,
    SN_BENEATH_Y,
    SN_BENEATH_Z,
    SN_PIECE_SUMS
};

typedef struct {
    int32_t cell[3];
    double sum[SN_PIECE_SUMS];
} sn_piece;

typedef SN_VECTOR(sn_piece) sn_pieces;

/* Each of the six planes around a cell adds at most one corner to a triangle. Where rounding has
 * bent an edge that runs along a plane it may pass it more often; such corners are all but one
 * point, and there is room for some. */
enum { SN_CLIPPED_CORNERS = 16 };

/* What of a triangle is in one cell: a convex polygon. */
typedef struct {
    int n;
    double at[SN_CLIPPED_CORNERS][3];
} sn_clipped;

/* Where a vertex is in its grid, in cells; one that is outside by rounding is put on its hull. */
void sn_grid_place(const double v[3], const double origin[3], double cell, const int32_t cells[3],
                   double place[3]);

/* Appends the pieces of a triangle whose corners were placed in a grid of so many cells; those
 * without a shadow are left out. The cost follows their number. */
void sn_triangle_cut(const double corner[3][3], const int32_t cells[3], sn_pieces *pieces);

/* What of a triangle is in a cell, the cell's faces included; n is 0 if there is nothing. */
sn_clipped sn_triangle_clip(const double corner[3][3], const int32_t cell[3]);

/* Adds what a polygon in a cell says about it. */
void sn_clipped_measure(const sn_clipped *p, const int32_t cell[3], double sum[SN_PIECE_SUMS]);

#endif
