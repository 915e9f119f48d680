#include "mesh/parts/gap.h"

#include "base/array.h"
#include "base/vec3.h"
#include "mesh/pieces.h"
#include "mesh/triangle.h"

#include <math.h>

/* What of a triangle is in the cell, in scene units. */
typedef struct {
    int n;
    sn_vec at[SN_CLIPPED_CORNERS], low, high;
    int32_t part;
} patch;

static void set_bounds(patch *p)
{
    p->low = p->high = p->at[0];
    for (int i = 1; i < p->n; i++) {
        p->low = (sn_vec){fmin(p->low.x, p->at[i].x), fmin(p->low.y, p->at[i].y),
                          fmin(p->low.z, p->at[i].z)};
        p->high = (sn_vec){fmax(p->high.x, p->at[i].x), fmax(p->high.y, p->at[i].y),
                           fmax(p->high.z, p->at[i].z)};
    }
}

static patch patch_of(const sn_parts_body *body, const int32_t cell[3], int32_t t, int32_t part)
{
    double corner[3][3];
    for (int c = 0; c < 3; c++)
        for (int d = 0; d < 3; d++)
            corner[c][d] =
                (body->mesh->vertex[body->mesh->triangle[t][c]][d] - body->origin[d]) / body->cell;
    sn_clipped clipped = sn_triangle_clip((const double(*)[3])corner, cell);
    patch p = {.n = clipped.n, .part = part};
    for (int i = 0; i < p.n; i++)
        p.at[i] = sn_vec_add(sn_vec_load(body->origin),
                             sn_vec_scale(sn_vec_load(clipped.at[i]), body->cell));
    if (p.n > 0)
        set_bounds(&p);
    return p;
}

static double gap_along(double low_a, double high_a, double low_b, double high_b)
{
    return fmax(0, fmax(low_a - high_b, low_b - high_a));
}

/* Patches are at least as far apart as the boxes around them. */
static double distance_of_boxes(const patch *a, const patch *b)
{
    return sn_vec_length((sn_vec){gap_along(a->low.x, a->high.x, b->low.x, b->high.x),
                                  gap_along(a->low.y, a->high.y, b->low.y, b->high.y),
                                  gap_along(a->low.z, a->high.z, b->low.z, b->high.z)});
}

static void take_nearer(sn_part_gap *gap, sn_vec p, sn_vec q)
{
    double distance = sn_vec_length(sn_vec_sub(p, q));
    if (distance >= gap->distance)
        return;
    gap->distance = distance;
    sn_vec_store(sn_vec_between(p, q, 0.5), gap->place);
}

/* Corners of one against the other, which is a fan of triangles. */
static void try_corners(const patch *a, const patch *b, sn_part_gap *gap)
{
    for (int i = 2; i < b->n; i++) {
        sn_vec triangle[3] = {b->at[0], b->at[i - 1], b->at[i]};
        for (int c = 0; c < a->n; c++)
            take_nearer(gap, a->at[c],
                        sn_triangle_point(triangle, sn_triangle_nearest(triangle, a->at[c])));
    }
}

static double clamped(double x)
{
    return fmax(0, fmin(x, 1));
}

/* The nearest places of two edges: on the lines, then within both. */
static void try_edges(sn_vec p0, sn_vec p1, sn_vec q0, sn_vec q1, sn_part_gap *gap)
{
    sn_vec u = sn_vec_sub(p1, p0), v = sn_vec_sub(q1, q0), w = sn_vec_sub(p0, q0);
    double uu = sn_vec_dot(u, u), uv = sn_vec_dot(u, v), vv = sn_vec_dot(v, v);
    double uw = sn_vec_dot(u, w), vw = sn_vec_dot(v, w), det = uu * vv - uv * uv;
    if (!(uu > 0 && vv > 0))
        return;
    double s = det > 0 ? clamped((uv * vw - vv * uw) / det) : 0;
    double t = clamped((uv * s + vw) / vv);
    s = clamped((uv * t - uw) / uu);
    take_nearer(gap, sn_vec_between(p0, p1, s), sn_vec_between(q0, q1, t));
}

static void try_patches(const patch *a, const patch *b, sn_part_gap *gap)
{
    if (distance_of_boxes(a, b) >= gap->distance)
        return;
    try_corners(a, b, gap);
    try_corners(b, a, gap);
    for (int i = 0; i < a->n; i++)
        for (int j = 0; j < b->n; j++)
            try_edges(a->at[i], a->at[(i + 1) % a->n], b->at[j], b->at[(j + 1) % b->n], gap);
}

sn_part_gap sn_cell_parts_gap(const sn_parts_body *body, const int32_t cell[3],
                              const int32_t *triangle, const int32_t *part, int32_t n)
{
    sn_part_gap gap = {.distance = INFINITY};
    patch *patches = SN_NEW(patch, n);
    for (int32_t i = 0; i < n; i++)
        patches[i] = patch_of(body, cell, triangle[i], part[i]);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < i; j++)
            if (part[i] >= 0 && part[j] >= 0 && part[i] != part[j] && patches[i].n > 0 &&
                patches[j].n > 0)
                try_patches(&patches[i], &patches[j], &gap);
    sn_free(patches);
    return gap;
}
