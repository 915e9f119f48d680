/* Does an edge pass through a triangle? Exactly, in integers.
 *
 * Knows corners on a fixed-point grid around the deformed surface, and the sign of the volume of
 * four of them. Hides the arithmetic: a filter in double, and 128 bits where it cannot tell. After
 * the snap nothing is rounded, so that the answers for all edges and triangles fit together: they
 * are those of one real surface, whose curves of self-intersection are closed.
 *
 * Surfaces in special positions (boxes that stand on each other, grids that lie on grids) are made
 * general by the snap: it moves every vertex by less than SN_EXACT_JITTER units of the grid, some
 * 2e-9 of the whole surface's size, by an amount that depends on the vertex's number alone. What
 * is degenerate even so is decided by the order of the numbers, the same way for both triangles of
 * an edge. */
#ifndef SN_CONTACT_SELF_EXACT_H
#define SN_CONTACT_SELF_EXACT_H

#include "mesh/mesh.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SN_EXACT_BITS = 39, /* of a coordinate: volumes then fit into 128 bits */
    SN_EXACT_JITTER = 1024,
};

typedef struct {
    double origin[3];
    double scale; /* units of the grid in a unit of length: a power of two */
} sn_exact_grid;

/* The grid for points within `bounds`, which must be finite. */
sn_exact_grid sn_exact_grid_around(const sn_box *bounds);

/* The part of the grid's size that a unit of length is: places as seen from its origin are then
 * within 0 and 1. */
static inline double sn_exact_share(const sn_exact_grid *grid)
{
    return grid->scale / (double)(INT64_C(1) << (SN_EXACT_BITS - 1));
}

typedef struct {
    int64_t number; /* of the vertex */
    int64_t at[3];
} sn_exact_point;

sn_exact_point sn_exact_snap(const sn_exact_grid *grid, const double at[3], int64_t number);

/* The sign of the volume of a tetrahedron: 1 if d lies on the side of abc's normal, 0 in its
 * plane. Coordinates are within +-2^SN_EXACT_BITS. */
int sn_exact_side(const int64_t a[3], const int64_t b[3], const int64_t c[3], const int64_t d[3]);

/* 1 if the edge passes through the triangle along its normal, -1 if against it, 0 if not. An end
 * in the triangle's plane counts as in front of it, and of the triangles at an edge or a corner
 * that the edge passes through as many count as if it were moved off it. */
int sn_exact_passes(const sn_exact_point *from, const sn_exact_point *to,
                    const sn_exact_point triangle[3]);

#endif
