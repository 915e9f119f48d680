#include "mesh/separator.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sn_grid_snap(const double v[3], const double origin[3], double cell, int32_t out[3])
{
    const double limit = (double)(1 << (SN_GRID_BITS + SN_GRID_FRACTION_BITS));
    for (int d = 0; d < 3; d++) {
        double x = nearbyint((v[d] - origin[d]) / cell * (1 << SN_GRID_FRACTION_BITS));
        assert(fabs(x) <= limit);
        (void)limit;
        out[d] = (int32_t)x;
    }
}

/* Cells that only touch the bounding box belong to the range. */
void sn_cell_range(const sn_grid_triangle *t, int32_t low[3], int32_t high[3])
{
    for (int d = 0; d < 3; d++) {
        int32_t min = t->p[0][d], max = min;
        for (int corner = 1; corner < 3; corner++) {
            int32_t x = t->p[corner][d];
            min = x < min ? x : min;
            max = x > max ? x : max;
        }
        low[d] = (min - 1) >> SN_GRID_FRACTION_BITS;
        high[d] = max >> SN_GRID_FRACTION_BITS;
    }
}

/* The line through corner `c` along its edge, in the projection (u, v), as function `lane`. */
static inline void set_edge(sn_separator *s, int lane, const sn_grid_triangle *t, int c, int u,
                            int v, int32_t sign)
{
    const int32_t *from = t->p[c], *to = t->p[(c + 1) % 3];
    int32_t gradient_u = sign * (from[v] - to[v]), gradient_v = sign * (to[u] - from[u]);
    s->gradient[u][lane] = gradient_u;
    s->gradient[v][lane] = gradient_v;
    s->offset[lane] = -((int64_t)gradient_u * from[u] + (int64_t)gradient_v * from[v]);
}

static int longest_edge(const sn_grid_triangle *t, int u, int v)
{
    int longest = 0;
    int64_t most = -1;
    for (int c = 0; c < 3; c++) {
        const int32_t *from = t->p[c], *to = t->p[(c + 1) % 3];
        int64_t length = llabs((int64_t)to[u] - from[u]) + llabs((int64_t)to[v] - from[v]);
        if (length > most) {
            most = length;
            longest = c;
        }
    }
    return longest;
}

static inline void set_projection(sn_separator *s, const sn_grid_triangle *t, int d)
{
    int u = (d + 1) % 3, v = (d + 2) % 3, lane = 3 * d;
    if (s->normal[d] != 0) {
        for (int c = 0; c < 3; c++)
            set_edge(s, lane + c, t, c, u, v, s->normal[d] > 0 ? 1 : -1);
    } else {
        int c = longest_edge(t, u, v);
        set_edge(s, lane, t, c, u, v, 1);
        set_edge(s, lane + 1, t, c, u, v, -1);
    }
}

void sn_separator_of(const sn_grid_triangle *t, sn_separator *s)
{
    *s = (sn_separator){0};
    int64_t e[2][3];
    for (int d = 0; d < 3; d++) {
        e[0][d] = (int64_t)t->p[1][d] - t->p[0][d];
        e[1][d] = (int64_t)t->p[2][d] - t->p[0][d];
    }
    for (int d = 0; d < 3; d++) {
        int u = (d + 1) % 3, v = (d + 2) % 3;
        s->normal[d] = e[0][u] * e[1][v] - e[0][v] * e[1][u];
        s->plane_offset -= (sn_wide)s->normal[d] * t->p[0][d];
    }
    for (int d = 0; d < 3; d++)
        set_projection(s, t, d);
    sn_cell_range(t, s->low, s->high);
}

void sn_slacks_of_box(const sn_separator *s, const int32_t anchor[3], int64_t edge, sn_slacks *out)
{
    int32_t near[3], far[3];
    for (int d = 0; d < 3; d++) {
        near[d] = anchor[d] * (1 << SN_GRID_FRACTION_BITS);
        far[d] = near[d] + (int32_t)edge;
    }
    memcpy(out->edge, s->offset, sizeof out->edge);
    sn_wide up = s->plane_offset, down = up;
    for (int d = 0; d < 3; d++) {
        /* The corner of the cube where the function is largest. */
        for (int lane = 0; lane < SN_LANES; lane++) {
            int32_t g = s->gradient[d][lane], corner = g > 0 ? far[d] : near[d];
            out->edge[lane] += (int64_t)g * corner;
        }
        int64_t n = s->normal[d];
        up += (sn_wide)n * (n > 0 ? far[d] : near[d]);
        down += (sn_wide)n * (n > 0 ? near[d] : far[d]);
    }
    out->plane[0] = up;
    out->plane[1] = -down;
}

bool sn_triangle_overlaps_box(const sn_grid_triangle *triangle, const int32_t cell_anchor[3],
                              int height)
{
    sn_separator s;
    sn_slacks box;
    sn_separator_of(triangle, &s);
    for (int d = 0; d < 3; d++)
        if (cell_anchor[d] > s.high[d] || cell_anchor[d] + (1 << height) <= s.low[d])
            return false;
    sn_slacks_of_box(&s, cell_anchor, (int64_t)1 << (SN_GRID_FRACTION_BITS + height), &box);
    return !sn_planes_separate(&box) && !sn_edges_separate(&box);
}

/* Fixed-point coordinates of a triangle along an axis. */
static void extent(const sn_grid_triangle *t, int d, int32_t *min, int32_t *max)
{
    *min = *max = t->p[0][d];
    for (int c = 1; c < 3; c++) {
        *min = t->p[c][d] < *min ? t->p[c][d] : *min;
        *max = t->p[c][d] > *max ? t->p[c][d] : *max;
    }
}

/* Does the open interval of a cell meet the triangle's along an axis? */
static bool reaches_into(const sn_grid_triangle *t, const int32_t cell[3], int d)
{
    int32_t min, max, low = cell[d] * (1 << SN_GRID_FRACTION_BITS);
    extent(t, d, &min, &max);
    return min < low + (1 << SN_GRID_FRACTION_BITS) && max > low;
}

/* Is the projection along an axis of the cell's interior off one of the triangle's edges? */
static bool passes_by(const sn_separator *s, const sn_slacks *box, int d)
{
    bool by = false;
    for (int lane = 3 * d; lane < 3 * d + 3; lane++) {
        bool unused = !s->gradient[(d + 1) % 3][lane] && !s->gradient[(d + 2) % 3][lane];
        by = by || (!unused && box->edge[lane] <= 0);
    }
    return by;
}

static bool has_area(const sn_separator *s)
{
    return s->normal[0] || s->normal[1] || s->normal[2];
}

/* The separating axes of the open cube: to touch is to be apart. */
static bool enters(const sn_grid_triangle *t, const sn_separator *s, const sn_slacks *box,
                   const int32_t cell[3])
{
    if (has_area(s) && (box->plane[0] <= 0 || box->plane[1] <= 0))
        return false;
    for (int d = 0; d < 3; d++)
        if (!reaches_into(t, cell, d) || passes_by(s, box, d))
            return false;
    return true;
}

/* The axis across which the triangle lies flat in a plane between cells, or -1. */
static int plane_axis(const sn_grid_triangle *t, const sn_separator *s)
{
    for (int d = 0; d < 3; d++)
        if (s->normal[d] && !s->normal[(d + 1) % 3] && !s->normal[(d + 2) % 3])
            return t->p[0][d] & ((1 << SN_GRID_FRACTION_BITS) - 1) ? -1 : d;
    return -1;
}

/* The cell along that axis that is behind the triangle, or before it at the end of the grid. */
static int32_t cell_behind(const sn_grid_triangle *t, const sn_separator *s, int d, int32_t cells,
                           int sense)
{
    int32_t plane = t->p[0][d] >> SN_GRID_FRACTION_BITS;
    int32_t behind = (s->normal[d] > 0) == (sense > 0) ? plane - 1 : plane;
    return behind < 0 ? 0 : behind < cells ? behind : cells - 1;
}

static bool has_corner_inside(const sn_grid_triangle *t, const int32_t cell[3])
{
    bool any = false;
    for (int c = 0; c < 3; c++) {
        bool inside = true;
        for (int d = 0; d < 3; d++) {
            int32_t within = t->p[c][d] - cell[d] * (1 << SN_GRID_FRACTION_BITS);
            inside = inside && within > 0 && within < 1 << SN_GRID_FRACTION_BITS;
        }
        any = any || inside;
    }
    return any;
}

bool sn_triangle_needs_cell(const sn_grid_triangle *t, const int32_t cell[3],
                            const int32_t grid_cells[3], int sense)
{
    if (has_corner_inside(t, cell))
        return true;
    sn_separator s;
    sn_slacks box;
    sn_separator_of(t, &s);
    sn_slacks_of_box(&s, cell, (int64_t)1 << SN_GRID_FRACTION_BITS, &box);
    int d = plane_axis(t, &s);
    if (d < 0)
        return enters(t, &s, &box, cell);
    return cell[d] == cell_behind(t, &s, d, grid_cells[d], sense) &&
           reaches_into(t, cell, (d + 1) % 3) && reaches_into(t, cell, (d + 2) % 3) &&
           !passes_by(&s, &box, d);
}
