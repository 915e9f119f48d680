#include "mesh/pieces.h"

#include <math.h>
#include <stdbool.h>

typedef struct {
    const int32_t *cells;
    int32_t cell[3];
    sn_pieces *pieces;
} cutter;

void sn_grid_place(const double v[3], const double origin[3], double cell, const int32_t cells[3],
                   double place[3])
{
    for (int d = 0; d < 3; d++)
        place[d] = fmin(fmax((v[d] - origin[d]) / cell, 0), cells[d]);
}

static inline void add_corner(sn_clipped *p, const double at[3])
{
    if (p->n == SN_CLIPPED_CORNERS)
        return;
    for (int d = 0; d < 3; d++)
        p->at[p->n][d] = at[d];
    p->n++;
}

/* The point where an edge passes a plane across `axis`. */
static inline void crossing(const double from[3], const double to[3], int axis, double plane,
                            double at[3])
{
    double t = (plane - from[axis]) / (to[axis] - from[axis]);
    for (int d = 0; d < 3; d++)
        at[d] = from[d] + t * (to[d] - from[d]);
    at[axis] = plane;
}

static void split(const sn_clipped *p, int axis, double plane, sn_clipped *below, sn_clipped *above)
{
    below->n = above->n = 0;
    for (int i = 0; i < p->n; i++) {
        const double *from = p->at[i], *to = p->at[i + 1 < p->n ? i + 1 : 0];
        if (from[axis] <= plane)
            add_corner(below, from);
        if (from[axis] >= plane)
            add_corner(above, from);
        if ((from[axis] < plane && to[axis] > plane) || (from[axis] > plane && to[axis] < plane)) {
            double at[3];
            crossing(from, to, axis, plane, at);
            add_corner(below, at);
            add_corner(above, at);
        }
    }
}

/* The mean over a triangle of the product of two linear functions, from their values at its
 * corners. */
static double mean_product(const double a[3], const double b[3])
{
    double sum = (a[0] + a[1] + a[2]) * (b[0] + b[1] + b[2]);
    return (sum + a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / 12;
}

/* One triangle, whose corners are seen from the cell's lowest one: x, y and z of each. */
static void add_triangle(const double x[3], const double y[3], const double z[3], double *sum)
{
    double ux = x[1] - x[0], uy = y[1] - y[0], vx = x[2] - x[0], vy = y[2] - y[0];
    double area = (ux * vy - uy * vx) / 2;
    sum[SN_SHADOW] += area;
    sum[SN_SHADOW_X] += area * (x[0] + x[1] + x[2]) / 3;
    sum[SN_SHADOW_Y] += area * (y[0] + y[1] + y[2]) / 3;
    sum[SN_BENEATH] += area * (z[0] + z[1] + z[2]) / 3;
    sum[SN_BENEATH_X] += area * mean_product(x, z);
    sum[SN_BENEATH_Y] += area * mean_product(y, z);
    sum[SN_BENEATH_Z] += area * mean_product(z, z) / 2;
}

static bool has_shadow(const sn_piece *piece)
{
    return piece->sum[SN_SHADOW] != 0 || piece->sum[SN_BENEATH] != 0;
}

/* A fan of triangles from the first corner. */
void sn_clipped_measure(const sn_clipped *p, const int32_t cell[3], double sum[SN_PIECE_SUMS])
{
    for (int i = 2; i < p->n; i++) {
        const double *corner[3] = {p->at[0], p->at[i - 1], p->at[i]};
        double at[3][3];
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++)
                at[d][k] = corner[k][d] - cell[d];
        add_triangle(at[0], at[1], at[2], sum);
    }
}

static void push_piece(const cutter *c, const sn_clipped *p)
{
    sn_piece piece = {.cell = {c->cell[0], c->cell[1], c->cell[2]}};
    sn_clipped_measure(p, c->cell, piece.sum);
    if (has_shadow(&piece))
        sn_push(c->pieces, piece);
}

/* The first and the last cell along an axis that a sn_clipped has a part in. */
static void cell_range(const sn_clipped *p, int axis, int32_t cells, int32_t *first, int32_t *last)
{
    double low = p->at[0][axis], high = low;
    for (int i = 1; i < p->n; i++) {
        low = fmin(low, p->at[i][axis]);
        high = fmax(high, p->at[i][axis]);
    }
    *first = (int32_t)low;
    *first = *first < cells ? *first : cells - 1;
    *last = (int32_t)ceil(high) - 1;
    *last = *last > *first ? *last : *first;
}

static void cut_along(cutter *c, sn_clipped *p, int axis)
{
    if (axis == 3) {
        push_piece(c, p);
        return;
    }
    int32_t last, *cell = &c->cell[axis];
    cell_range(p, axis, c->cells[axis], cell, &last);
    for (sn_clipped below, above; *cell < last; ++*cell) {
        split(p, axis, *cell + 1, &below, &above);
        cut_along(c, &below, axis + 1);
        *p = above;
    }
    cut_along(c, p, axis + 1);
}

void sn_triangle_cut(const double corner[3][3], const int32_t cells[3], sn_pieces *pieces)
{
    cutter c = {.cells = cells, .pieces = pieces};
    sn_clipped p = {0};
    for (int i = 0; i < 3; i++)
        add_corner(&p, corner[i]);
    cut_along(&c, &p, 0);
}

sn_clipped sn_triangle_clip(const double corner[3][3], const int32_t cell[3])
{
    sn_clipped p = {0}, below, above;
    for (int i = 0; i < 3; i++)
        add_corner(&p, corner[i]);
    for (int d = 0; d < 3; d++) {
        split(&p, d, cell[d], &below, &above);
        split(&above, d, cell[d] + 1, &p, &below);
    }
    return p;
}
