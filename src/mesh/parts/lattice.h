/* Where lines of a fine lattice pass through triangles, exactly.
 *
 * Knows corners on the fixed-point grid of mesh/overlap.h, and lines along an axis through points
 * of that grid. Hides the arithmetic: nothing is rounded, and nothing is ever hit on an edge or in
 * a corner, for a point of the lattice is really a hair beside it:
 *
 *       .   .   .   .      Each of its coordinates has a tie, +1 or -1: to this side of its plane
 *         +-------+        of the lattice the point lies, by less than anything that can be
 *       . |       | .      measured. x counts more than y, and y more than z. So a cell whose
 *         |       |        corners have ties that point inward is the open cell: a triangle in
 *       . |       | .      the plane of one of its faces has no piece in it, whatever else is
 *         +-------+        there.
 *       .   .   .   .
 *
 * Where two sheets meet a line at the same point, as the faces of two boxes that stand on each
 * other, a line that goes up leaves before it enters: they stay two.
 *
 * Bits: corners reach 2^28, differences 2^29, normals 2^59; a place along a line is a whole number
 * and a rest of less than 2^59 over 2^59, and two rests are compared by products below 2^118. */
#ifndef SN_MESH_PARTS_LATTICE_H
#define SN_MESH_PARTS_LATTICE_H

#include "base/array.h"
#include "mesh/overlap.h"

/* Units of the lattice along a cell. */
enum { SN_LATTICE_CELL = 1 << SN_GRID_FRACTION_BITS };

typedef struct {
    int32_t at[3];
    int tie[3]; /* 1 or -1 */
} sn_lattice_point;

typedef struct {
    int32_t corner[3][3];
    int32_t low[3], high[3]; /* bounds */
    int64_t normal[3];
} sn_lattice_triangle;

/* A triangle that a line passes through, and where: at whole + rest / of. */
typedef struct {
    int32_t triangle;
    int32_t whole;
    int64_t rest, of;
    int sign; /* -1 where the line, going up, leaves at the triangle's front, 1 where it enters */
} sn_line_crossing;

typedef SN_VECTOR(sn_line_crossing) sn_line_crossings;

sn_lattice_triangle sn_lattice_triangle_of(const sn_grid_triangle *triangle);

/* Does the line along `axis` through the point come near the triangle? Most do not. */
static inline bool sn_lattice_is_near(const sn_lattice_triangle *t, const sn_lattice_point *p,
                                      int axis)
{
    int i = axis == 0, j = axis == 2 ? 1 : 2;
    return p->at[i] >= t->low[i] && p->at[i] <= t->high[i] && p->at[j] >= t->low[j] &&
           p->at[j] <= t->high[j] && t->normal[axis] != 0;
}

/* Does the line along `axis` through the point pass through the triangle? Fills all of the crossing
 * but the triangle's number. */
bool sn_lattice_cross(const sn_lattice_triangle *t, const sn_lattice_point *p, int axis,
                      sn_line_crossing *crossing);

/* Is a crossing of the line through p higher on it than p itself? */
bool sn_crossing_is_above(const sn_line_crossing *c, const sn_lattice_triangle *t,
                          const sn_lattice_point *p, int axis);

/* Is a crossing before another one of the same line? Of the same point, those that leave come
 * first, then those of lower numbers. */
bool sn_crossing_before(const sn_line_crossing *a, const sn_lattice_triangle *ta,
                        const sn_line_crossing *b, const sn_lattice_triangle *tb,
                        const sn_lattice_point *p, int axis);

/* A square in the plane across `axis` through `low` and `high`, which agree there. */
typedef struct {
    int axis;
    sn_lattice_point low, high;
} sn_lattice_square;

/* Is a coordinate above that of the point? */
static inline bool sn_lattice_above(int32_t x, const sn_lattice_point *p, int axis)
{
    return x > p->at[axis] || (x == p->at[axis] && p->tie[axis] < 0);
}

/* Does an edge pass through the square? */
bool sn_lattice_edge_passes(const int32_t from[3], const int32_t to[3],
                            const sn_lattice_square *square);

/* Does a triangle pass through the square, from one side of its plane to the other? Only says so of
 * triangles that do that well within the square. */
bool sn_lattice_cuts(const sn_lattice_triangle *t, const sn_lattice_square *square);

#endif
