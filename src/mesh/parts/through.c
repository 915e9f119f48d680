#include "mesh/parts/through.h"

#include "base/vec3.h"

/* Twice the way that the snap moves a vertex, with some room. */
static const double TOUCH = 2.0 / SN_LATTICE_CELL;

typedef struct {
    sn_vec corner[3], normal;
} facet;

static facet facet_of(const sn_part_cell *cell, int32_t i)
{
    facet f;
    for (int c = 0; c < 3; c++) {
        double at[3];
        for (int d = 0; d < 3; d++)
            at[d] = (double)(cell->triangle.data[i].corner[c][d] - cell->corner[0].at[d]) /
                    SN_LATTICE_CELL;
        f.corner[c] = sn_vec_load(at);
    }
    f.normal = sn_vec_unit(
        sn_vec_cross(sn_vec_sub(f.corner[1], f.corner[0]), sn_vec_sub(f.corner[2], f.corner[0])));
    return f;
}

static double height(const facet *f, sn_vec p)
{
    return sn_vec_dot(f->normal, sn_vec_sub(p, f->corner[0]));
}

/* The segment of a in the plane of b; false if a is not well on both sides of it. */
static bool segment_in_plane(const facet *a, const facet *b, sn_vec end[2])
{
    double h[3], low = 0, high = 0;
    for (int c = 0; c < 3; c++) {
        h[c] = height(b, a->corner[c]);
        low = fmin(low, h[c]);
        high = fmax(high, h[c]);
    }
    if (!(low < -TOUCH && high > TOUCH))
        return false;
    int n = 0;
    for (int c = 0; c < 3 && n < 2; c++) {
        int next = (c + 1) % 3;
        if ((h[c] < 0) != (h[next] < 0))
            end[n++] = sn_vec_between(a->corner[c], a->corner[next], h[c] / (h[c] - h[next]));
    }
    return n == 2;
}

/* What is left of the stretch from `from` to `to` of a segment where a linear function, given at
 * the segment's ends, is positive. */
static void keep_positive(double first, double last, double *from, double *to)
{
    if (first <= 0 && last <= 0)
        *to = *from - 1;
    else if (first < 0)
        *from = fmax(*from, first / (first - last));
    else if (last < 0)
        *to = fmin(*to, first / (first - last));
}

static void clip_to_triangle(const facet *f, const sn_vec end[2], double *from, double *to)
{
    for (int c = 0; c < 3; c++) {
        sn_vec edge = sn_vec_sub(f->corner[(c + 1) % 3], f->corner[c]);
        sn_vec inward = sn_vec_cross(f->normal, edge);
        keep_positive(sn_vec_dot(inward, sn_vec_sub(end[0], f->corner[c])),
                      sn_vec_dot(inward, sn_vec_sub(end[1], f->corner[c])), from, to);
    }
}

static void clip_to_cell(const sn_vec end[2], double *from, double *to)
{
    double at[2][3];
    for (int e = 0; e < 2; e++)
        sn_vec_store(end[e], at[e]);
    for (int d = 0; d < 3; d++) {
        keep_positive(at[0][d], at[1][d], from, to);
        keep_positive(1 - at[0][d], 1 - at[1][d], from, to);
    }
}

static bool boxes_meet(const sn_lattice_triangle *a, const sn_lattice_triangle *b)
{
    bool meet = true;
    for (int d = 0; d < 3; d++)
        meet = meet && a->low[d] <= b->high[d] && b->low[d] <= a->high[d];
    return meet;
}

bool sn_triangles_pass_through(const sn_part_cell *cell, int32_t a, int32_t b)
{
    if (!boxes_meet(&cell->triangle.data[a], &cell->triangle.data[b]))
        return false;
    facet f = facet_of(cell, a), g = facet_of(cell, b);
    sn_vec end[2], other[2];
    if (!segment_in_plane(&f, &g, end) || !segment_in_plane(&g, &f, other))
        return false;
    double from = 0, to = 1;
    clip_to_triangle(&g, end, &from, &to);
    clip_to_cell(end, &from, &to);
    return from < to;
}
