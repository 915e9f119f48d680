#include "contact/self/anchors.h"

#include "contact/friction/friction.h"
#include "contact/self/points.h"

#include <math.h>
#include <string.h>

/* ---- Where a contact begins ---- */

/* A vector in the plane of two edges as parts of them; none if they span no plane. */
static void split(sn_vec v, const sn_vec edge[2], double part[2])
{
    double ee = sn_vec_dot(edge[0], edge[0]), ff = sn_vec_dot(edge[1], edge[1]);
    double ef = sn_vec_dot(edge[0], edge[1]), det = ee * ff - ef * ef;
    double e = sn_vec_dot(v, edge[0]), f = sn_vec_dot(v, edge[1]);
    part[0] = det > 0 ? (ff * e - ef * f) / det : 0;
    part[1] = det > 0 ? (ee * f - ef * e) / det : 0;
}

static void edges_of(const sn_vec corner[3], sn_vec edge[2])
{
    edge[0] = sn_vec_sub(corner[1], corner[0]);
    edge[1] = sn_vec_sub(corner[2], corner[0]);
}

/* What a way along the plane of the target's triangle is at rest. */
static sn_vec way_at_rest(const sn_self_surface *s, const sn_mesh *shape, const sn_self_record *r,
                          sn_vec way)
{
    sn_self_triangle t = sn_self_triangle_of(s, r->triangle);
    sn_vec corner[3], edge[2], rest[2];
    double part[2];
    sn_self_corners(s, shape, &t, corner);
    edges_of(corner, edge);
    sn_self_corners_at_rest(s, &t, corner);
    edges_of(corner, rest);
    split(way, edge, part);
    return sn_vec_add(sn_vec_scale(rest[0], part[0]), sn_vec_scale(rest[1], part[1]));
}

/* From the point now to where it came in, as seen from the target. */
static sn_vec way_back(const sn_self_surface *s, const sn_mesh *before, const sn_mesh *now,
                       const sn_self_record *r)
{
    sn_vec normal = sn_vec_load(r->normal);
    sn_vec then = sn_self_way_out(s, before, r), here = sn_self_way_out(s, now, r);
    double above = fmax(0, -sn_vec_dot(then, normal)), below = fmax(0, sn_vec_dot(here, normal));
    double part = below > 0 ? below / (above + below) : 0;
    return sn_friction_tangential(sn_vec_scale(sn_vec_sub(here, then), part), normal);
}

void sn_self_touch_first(const sn_self_surface *s, const sn_mesh *before, const sn_mesh *now,
                         sn_self_record *r)
{
    sn_vec way = way_at_rest(s, now, r, way_back(s, before, now, r));
    sn_vec_store(sn_vec_add(sn_vec_load(r->at), way), r->anchor);
}

/* ---- Where anchors are ---- */

static const sn_self_record *record_at(const sn_self_record *records, size_t stride, size_t i)
{
    return (const sn_self_record *)((const char *)records + i * stride);
}

/* Two points for each record: its target's and its anchor's. */
static sn_flesh_point *points_of(const sn_self_record *records, size_t stride, size_t n)
{
    sn_flesh_point *points = SN_NEW_ZERO(sn_flesh_point, 2 * n);
    for (size_t i = 0; i < n; i++) {
        const sn_self_record *r = record_at(records, stride, i);
        points[2 * i].body = points[2 * i + 1].body = (int32_t)r->body;
        memcpy(points[2 * i].at, r->at, sizeof r->at);
        memcpy(points[2 * i + 1].at, r->anchor, sizeof r->anchor);
    }
    return points;
}

sn_status sn_self_see_anchors(const sn_locator *locator, const sn_parts *parts, const double *x,
                              const sn_self_record *records, size_t stride, size_t n,
                              double (*anchor)[3])
{
    sn_flesh_point *points = points_of(records, stride, n);
    double(*places)[3] = SN_NEW(double[3], 2 * n);
    sn_status status = sn_self_evaluate(locator, parts, x, points, 2 * n, places);
    for (size_t i = 0; i < n && status == SN_OK; i++)
        for (int d = 0; d < 3; d++)
            anchor[i][d] = places[2 * i + 1][d] - places[2 * i][d];
    sn_free(points);
    sn_free(places);
    return status;
}
