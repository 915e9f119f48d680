#include "mesh/triangle.h"

#include "base/pi.h"

/* How far beyond an edge still counts as a hit, in weights. */
static const double EDGE_SLACK = 1e-9;

sn_vec sn_triangle_point(const sn_vec corner[3], sn_weights w)
{
    for (int c = 0; c < 3; c++)
        if (w.of[c] == 1)
            return corner[c]; /* the same point from all triangles that have it */
    return sn_vec_add(
        sn_vec_add(sn_vec_scale(corner[0], w.of[0]), sn_vec_scale(corner[1], w.of[1])),
        sn_vec_scale(corner[2], w.of[2]));
}

sn_vec sn_triangle_normal(const sn_vec corner[3])
{
    return sn_vec_cross(sn_vec_sub(corner[1], corner[0]), sn_vec_sub(corner[2], corner[0]));
}

/* ---- The nearest place ---- */

static sn_weights nearest_on_edge(const sn_vec corner[3], int from, sn_vec p)
{
    int to = (from + 1) % 3;
    sn_vec edge = sn_vec_sub(corner[to], corner[from]);
    double along = sn_vec_dot(sn_vec_sub(p, corner[from]), edge), whole = sn_vec_dot(edge, edge);
    double t = along <= 0 ? 0 : along >= whole ? 1 : along / whole;
    sn_weights w = {{0, 0, 0}};
    w.of[from] = 1 - t;
    w.of[to] = t;
    return w;
}

static sn_weights nearest_on_edges(const sn_vec corner[3], sn_vec p)
{
    sn_weights best = {{1, 0, 0}};
    double least = INFINITY;
    for (int edge = 0; edge < 3; edge++) {
        sn_weights w = nearest_on_edge(corner, edge, p);
        sn_vec away = sn_vec_sub(p, sn_triangle_point(corner, w));
        if (sn_vec_dot(away, away) < least) {
            least = sn_vec_dot(away, away);
            best = w;
        }
    }
    return best;
}

/* Of the point's projection onto the plane, times the square of the normal's length. */
static void areas_of(const sn_vec corner[3], sn_vec normal, sn_vec p, double area[3])
{
    for (int c = 0; c < 3; c++) {
        sn_vec next = corner[(c + 1) % 3], last = corner[(c + 2) % 3];
        area[c] = sn_vec_dot(sn_vec_cross(sn_vec_sub(last, next), sn_vec_sub(p, next)), normal);
    }
}

sn_weights sn_triangle_nearest(const sn_vec corner[3], sn_vec p)
{
    sn_vec normal = sn_triangle_normal(corner);
    double area[3], whole = sn_vec_dot(normal, normal);
    areas_of(corner, normal, p, area);
    if (!(whole > 0) || !(area[0] > 0 && area[1] > 0 && area[2] > 0))
        return nearest_on_edges(corner, p);
    double sum = area[0] + area[1] + area[2];
    return (sn_weights){{area[0] / sum, area[1] / sum, area[2] / sum}};
}

double sn_triangle_angle(const sn_vec corner[3], sn_weights place)
{
    int at = -1, zeros = 0;
    for (int c = 0; c < 3; c++) {
        zeros += place.of[c] == 0;
        if (place.of[c] == 1)
            at = c;
    }
    if (at < 0)
        return zeros > 0 ? SN_PI : 2 * SN_PI;
    sn_vec to_next = sn_vec_sub(corner[(at + 1) % 3], corner[at]);
    sn_vec to_last = sn_vec_sub(corner[(at + 2) % 3], corner[at]);
    return atan2(sn_vec_length(sn_vec_cross(to_next, to_last)), sn_vec_dot(to_next, to_last));
}

/* ---- Passing through ---- */

typedef struct {
    double of[4]; /* of t^0 ... t^3 */
} cubic;

static double value(const cubic *f, double t)
{
    return ((f->of[3] * t + f->of[2]) * t + f->of[1]) * t + f->of[0];
}

/* Where it turns around between 0 and 1, ascending. */
static int turning_points(const cubic *f, double turn[2])
{
    double a = 3 * f->of[3], b = 2 * f->of[2], c = f->of[1], root[2] = {NAN, NAN};
    double discriminant = b * b - 4 * a * c;
    if (discriminant >= 0) { /* without cancellation; divisions by zero leave the interval */
        double q = -0.5 * (b + copysign(sqrt(discriminant), b));
        root[0] = q / a;
        root[1] = c / q;
    }
    if (root[1] < root[0]) {
        double swap = root[0];
        root[0] = root[1];
        root[1] = swap;
    }
    int n = 0;
    for (int i = 0; i < 2; i++)
        if (root[i] > 0 && root[i] < 1)
            turn[n++] = root[i];
    return n;
}

/* f does not turn around between low and high, where it has different signs. */
static double zero_between(const cubic *f, double low, double high)
{
    if (f->of[3] == 0 && f->of[2] == 0) /* nothing but the point moves, or all alike */
        return fmin(fmax(-f->of[0] / f->of[1], low), high);
    double sign = value(f, low) > 0 ? 1 : -1;
    for (;;) {
        double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high)
            return high;
        if (sign * value(f, middle) > 0)
            low = middle;
        else
            high = middle;
    }
}

/* Six times the volume between triangle and point, as a function of time: above zero in front. */
static cubic volume_in_time(const sn_vec before[3], const sn_vec after[3], sn_vec from, sn_vec to)
{
    sn_vec edge[2][2], way[2]; /* at the start, and how it changes */
    for (int i = 0; i < 2; i++) {
        edge[i][0] = sn_vec_sub(before[i + 1], before[0]);
        edge[i][1] = sn_vec_sub(sn_vec_sub(after[i + 1], after[0]), edge[i][0]);
    }
    way[0] = sn_vec_sub(from, before[0]);
    way[1] = sn_vec_sub(sn_vec_sub(to, after[0]), way[0]);
    cubic f = {{0, 0, 0, 0}};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            sn_vec normal = sn_vec_cross(edge[0][i], edge[1][j]);
            for (int k = 0; k < 2; k++)
                f.of[i + j + k] += sn_vec_dot(normal, way[k]);
        }
    return f;
}

/* Whether the point lies in the triangle at that time, and where. */
static bool is_in_triangle(const sn_vec before[3], const sn_vec after[3], sn_vec from, sn_vec to,
                           double t, sn_weights *weights)
{
    sn_vec corner[3], p = sn_vec_between(from, to, t);
    for (int c = 0; c < 3; c++)
        corner[c] = sn_vec_between(before[c], after[c], t);
    sn_vec normal = sn_triangle_normal(corner);
    double area[3], whole = sn_vec_dot(normal, normal);
    if (!(whole > 0))
        return false;
    areas_of(corner, normal, p, area);
    for (int c = 0; c < 3; c++) {
        weights->of[c] = area[c] / whole;
        if (!(weights->of[c] >= -EDGE_SLACK))
            return false;
    }
    return true;
}

bool sn_triangle_passed(const sn_vec before[3], const sn_vec after[3], sn_vec from, sn_vec to,
                        double side, double *time, sn_weights *weights)
{
    cubic f = volume_in_time(before, after, from, to);
    double bound[4] = {0};
    int n = turning_points(&f, bound + 1);
    bound[n + 1] = 1;
    for (int i = 0; i <= n; i++) {
        double low = bound[i], high = bound[i + 1];
        if (!(side * value(&f, low) > 0 && side * value(&f, high) <= 0))
            continue;
        double t = zero_between(&f, low, high);
        if (is_in_triangle(before, after, from, to, t, weights)) {
            *time = t;
            return true;
        }
    }
    return false;
}
