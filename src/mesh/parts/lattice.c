#include "mesh/parts/lattice.h"

typedef __int128 wide;

static int sign_of(int64_t x)
{
    return (x > 0) - (x < 0);
}

static int sign_of_wide(wide x)
{
    return (x > 0) - (x < 0);
}

sn_lattice_triangle sn_lattice_triangle_of(const sn_grid_triangle *triangle)
{
    sn_lattice_triangle t;
    for (int d = 0; d < 3; d++) {
        t.low[d] = t.high[d] = triangle->p[0][d];
        for (int c = 0; c < 3; c++) {
            int32_t x = t.corner[c][d] = triangle->p[c][d];
            t.low[d] = x < t.low[d] ? x : t.low[d];
            t.high[d] = x > t.high[d] ? x : t.high[d];
        }
    }
    int64_t e[2][3];
    for (int i = 0; i < 2; i++)
        for (int d = 0; d < 3; d++)
            e[i][d] = (int64_t)t.corner[i + 1][d] - t.corner[0][d];
    for (int d = 0; d < 3; d++) {
        int u = (d + 1) % 3, v = (d + 2) % 3;
        t.normal[d] = e[0][u] * e[1][v] - e[0][v] * e[1][u];
    }
    return t;
}

/* On which side of an edge the point is, seen along the axis that is neither i nor j; i is the
 * lower one, so that its tie counts more. */
static int turn(const int32_t from[3], const int32_t to[3], const sn_lattice_point *p, int i, int j)
{
    int64_t along_i = (int64_t)to[i] - from[i], along_j = (int64_t)to[j] - from[j];
    int64_t t = along_i * ((int64_t)p->at[j] - from[j]) - along_j * ((int64_t)p->at[i] - from[i]);
    if (t == 0)
        t = -along_j * p->tie[i];
    if (t == 0)
        t = along_i * p->tie[j];
    return sign_of(t);
}

static bool is_hit(const sn_lattice_triangle *t, const sn_lattice_point *p, int axis)
{
    int i = axis == 0, j = axis == 2 ? 1 : 2;
    int first = turn(t->corner[0], t->corner[1], p, i, j);
    return turn(t->corner[1], t->corner[2], p, i, j) == first &&
           turn(t->corner[2], t->corner[0], p, i, j) == first;
}

/* Where the triangle's plane is on the line. */
static void set_place(const sn_lattice_triangle *t, const sn_lattice_point *p, int axis,
                      sn_line_crossing *c)
{
    const int32_t *corner = t->corner[0];
    wide up = 0;
    for (int d = 0; d < 3; d++)
        if (d != axis)
            up -= (wide)t->normal[d] * (p->at[d] - corner[d]);
    c->of = t->normal[axis];
    if (c->of < 0) {
        c->of = -c->of;
        up = -up;
    }
    wide whole = up / c->of - (up % c->of < 0);
    c->rest = (int64_t)(up - whole * c->of);
    c->whole = (int32_t)whole + corner[axis];
}

bool sn_lattice_cross(const sn_lattice_triangle *t, const sn_lattice_point *p, int axis,
                      sn_line_crossing *crossing)
{
    if (!sn_lattice_is_near(t, p, axis) || !is_hit(t, p, axis))
        return false;
    set_place(t, p, axis, crossing);
    crossing->sign = t->normal[axis] > 0 ? -1 : 1;
    return true;
}

bool sn_crossing_is_above(const sn_line_crossing *c, const sn_lattice_triangle *t,
                          const sn_lattice_point *p, int axis)
{
    if (c->whole != p->at[axis] || c->rest > 0)
        return c->whole >= p->at[axis];
    for (int d = 0; d < 3; d++)
        if (t->normal[d] != 0)
            return (t->normal[d] * p->tie[d] < 0) == (t->normal[axis] > 0);
    return false;
}

/* How the planes' heights differ for a point that is moved along d by its tie. */
static int compare_slopes(const sn_lattice_triangle *a, const sn_lattice_triangle *b, int d,
                          int axis)
{
    wide difference = (wide)b->normal[d] * a->normal[axis] - (wide)a->normal[d] * b->normal[axis];
    return sign_of_wide(difference) * sign_of(a->normal[axis]) * sign_of(b->normal[axis]);
}

bool sn_crossing_before(const sn_line_crossing *a, const sn_lattice_triangle *ta,
                        const sn_line_crossing *b, const sn_lattice_triangle *tb,
                        const sn_lattice_point *p, int axis)
{
    if (a->whole != b->whole)
        return a->whole < b->whole;
    wide rest_a = (wide)a->rest * b->of, rest_b = (wide)b->rest * a->of;
    if (rest_a != rest_b)
        return rest_a < rest_b;
    for (int d = 0; d < 3; d++) {
        int slope = d == axis ? 0 : compare_slopes(ta, tb, d, axis) * p->tie[d];
        if (slope != 0)
            return slope < 0;
    }
    return a->sign != b->sign ? a->sign < b->sign : a->triangle < b->triangle;
}

/* Does an edge that goes up through the point's plane pass it at a higher coordinate `d`? */
static bool passes_above(const int32_t from[3], const int32_t to[3], const sn_lattice_point *p,
                         int axis, int d)
{
    return d < axis ? turn(from, to, p, d, axis) > 0 : turn(from, to, p, axis, d) < 0;
}

bool sn_lattice_edge_passes(const int32_t from[3], const int32_t to[3], const sn_lattice_square *s)
{
    bool up = sn_lattice_above(to[s->axis], &s->low, s->axis);
    if (sn_lattice_above(from[s->axis], &s->low, s->axis) == up)
        return false;
    const int32_t *lower = up ? from : to, *upper = up ? to : from;
    for (int d = 0; d < 3; d++)
        if (d != s->axis && (!passes_above(lower, upper, &s->low, s->axis, d) ||
                             passes_above(lower, upper, &s->high, s->axis, d)))
            return false;
    return true;
}

/* ---- Triangles through squares ---- */

enum { WELL_WITHIN = 2 }; /* units from the square's border: far more than what rounding moves */

/* Where the sides of a triangle pass through a plane; how many do. A side that only reaches the
 * plane does not. */
static int pass_plane(const sn_lattice_triangle *t, int axis, int32_t plane, double at[2][2])
{
    int n = 0, i = axis == 0, j = axis == 2 ? 1 : 2;
    for (int c = 0; c < 3 && n < 2; c++) {
        const int32_t *a = t->corner[c], *b = t->corner[(c + 1) % 3];
        if ((a[axis] < plane) == (b[axis] < plane) || a[axis] == plane || b[axis] == plane)
            continue;
        double part = (double)(plane - a[axis]) / (double)(b[axis] - a[axis]);
        at[n][0] = a[i] + part * (b[i] - a[i]);
        at[n++][1] = a[j] + part * (b[j] - a[j]);
    }
    return n;
}

/* Keeps what of a stretch of a line, in parts of it, is between two bounds. */
static void clip(double from, double to, double low, double high, double stretch[2])
{
    double way = to - from;
    if (way == 0) {
        if (from < low || from > high)
            stretch[1] = -1;
        return;
    }
    double enter = ((way > 0 ? low : high) - from) / way;
    double leave = ((way > 0 ? high : low) - from) / way;
    stretch[0] = enter > stretch[0] ? enter : stretch[0];
    stretch[1] = leave < stretch[1] ? leave : stretch[1];
}

bool sn_lattice_cuts(const sn_lattice_triangle *t, const sn_lattice_square *s)
{
    int axis = s->axis, other[2] = {axis == 0, axis == 2 ? 1 : 2};
    int32_t plane = s->low.at[axis];
    double at[2][2], stretch[2] = {0, 1};
    if (t->low[axis] >= plane || t->high[axis] <= plane || pass_plane(t, axis, plane, at) < 2)
        return false;
    for (int k = 0; k < 2; k++)
        clip(at[0][k], at[1][k], s->low.at[other[k]] + WELL_WITHIN,
             s->high.at[other[k]] - WELL_WITHIN, stretch);
    return stretch[0] <= stretch[1];
}
