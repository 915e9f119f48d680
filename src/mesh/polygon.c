#include "mesh/polygon.h"

#include "base/array.h"
#include "base/vec3.h"

#include <math.h>
#include <stdbool.h>

/* Ear clipping takes the square of the corners, or worse. Beyond this a fan must do; its
 * triangles may overlap, but the winding numbers around them are still right. */
enum { MOST_CLIPPED_CORNERS = 1000 };

typedef struct {
    const double (*vertex)[3];
    const int32_t *corner;
    int64_t n;
} polygon;

static sn_vec position(const polygon *poly, int64_t i)
{
    return sn_vec_load(poly->vertex[poly->corner[i % poly->n]]);
}

/* Newell's sum over the edges: right for concave and slightly bent polygons. Relative to the
 * first corner, so that a polygon far from the origin loses nothing. */
static sn_vec polygon_normal(const polygon *poly)
{
    sn_vec o = position(poly, 0), normal = {0, 0, 0};
    for (int64_t i = 1; i + 1 < poly->n; i++) {
        sn_vec p = sn_vec_sub(position(poly, i), o), q = sn_vec_sub(position(poly, i + 1), o);
        normal = sn_vec_add(normal, sn_vec_cross(p, q));
    }
    return normal;
}

static double orientation(sn_vec a, sn_vec b, sn_vec c, sn_vec normal)
{
    return sn_vec_dot(normal, sn_vec_cross(sn_vec_sub(b, a), sn_vec_sub(c, a)));
}

static int64_t lowest_corner(const polygon *poly)
{
    int64_t lowest = 0;
    for (int64_t i = 1; i < poly->n; i++)
        if (poly->corner[i] < poly->corner[lowest])
            lowest = i;
    return lowest;
}

static bool fan_keeps_orientation(const polygon *poly, int64_t start, sn_vec normal)
{
    for (int64_t i = 1; i + 1 < poly->n; i++)
        if (!(orientation(position(poly, start), position(poly, start + i),
                          position(poly, start + i + 1), normal) > 0))
            return false;
    return true;
}

static void fan(const polygon *poly, int64_t start, int32_t (*triangle)[3])
{
    for (int64_t i = 1; i + 1 < poly->n; i++) {
        triangle[i - 1][0] = poly->corner[start];
        triangle[i - 1][1] = poly->corner[(start + i) % poly->n];
        triangle[i - 1][2] = poly->corner[(start + i + 1) % poly->n];
    }
}

/* The ring of corners that are not clipped yet. */
typedef struct {
    const polygon *poly;
    sn_vec normal;
    int64_t *next, *previous;
} ring;

/* An ear turns the right way and no other corner lies in it. Corners at the position of one
 * of its own are no obstacle: bridges to holes visit a vertex twice. */
static bool is_ear(const ring *r, int64_t b)
{
    int64_t a = r->previous[b], c = r->next[b];
    sn_vec pa = position(r->poly, a), pb = position(r->poly, b), pc = position(r->poly, c);
    if (!(orientation(pa, pb, pc, r->normal) > 0))
        return false;
    for (int64_t i = r->next[c]; i != a; i = r->next[i]) {
        sn_vec p = position(r->poly, i);
        bool in_ear = orientation(pa, pb, p, r->normal) >= 0 &&
                      orientation(pb, pc, p, r->normal) >= 0 &&
                      orientation(pc, pa, p, r->normal) >= 0;
        if (in_ear && !sn_vec_equal(p, pa) && !sn_vec_equal(p, pb) && !sn_vec_equal(p, pc))
            return false;
    }
    return true;
}

static ring whole_ring(const polygon *poly, sn_vec normal)
{
    ring r = {poly, normal, SN_NEW(int64_t, poly->n), SN_NEW(int64_t, poly->n)};
    for (int64_t i = 0; i < poly->n; i++) {
        r.next[i] = (i + 1) % poly->n;
        r.previous[i] = (i + poly->n - 1) % poly->n;
    }
    return r;
}

/* Where there is no ear (a polygon that crosses itself or has no area) any corner is cut. */
static void clip_ears(const polygon *poly, sn_vec normal, int64_t start, int32_t (*triangle)[3])
{
    ring r = whole_ring(poly, normal);
    int64_t at = start;
    for (int64_t left = poly->n; left > 2; left--) {
        for (int64_t tried = 0; tried < left && !is_ear(&r, at); tried++)
            at = r.next[at];
        int64_t a = r.previous[at], c = r.next[at];
        (*triangle)[0] = poly->corner[a];
        (*triangle)[1] = poly->corner[at];
        (*triangle)[2] = poly->corner[c];
        triangle++;
        r.next[a] = c;
        r.previous[c] = a;
        at = c;
    }
    sn_free(r.next);
    sn_free(r.previous);
}

void sn_polygon_triangulate(const double (*vertex)[3], const int32_t *corner, int64_t n,
                            int32_t (*triangle)[3])
{
    polygon poly = {vertex, corner, n};
    if (n == 3) {
        fan(&poly, 0, triangle);
        return;
    }
    int64_t start = lowest_corner(&poly);
    sn_vec normal = polygon_normal(&poly);
    if (n > MOST_CLIPPED_CORNERS || fan_keeps_orientation(&poly, start, normal))
        fan(&poly, start, triangle);
    else
        clip_ears(&poly, normal, start, triangle);
}
