/* How far the surface around a patch is one sheet over the patch's plane.
 *
 * The sheet is followed from the patch's triangles over edges, within two rings and as long as
 * triangles do not turn away too far. It covers a disc around the patch's middle, up to the nearest
 * edge where it ends, once if a place in the disc is covered once: all triangles lie on the plane
 * with the same side up. */
#include "base/array.h"
#include "contact/self/patches_parts.h"
#include "mesh/triangle.h"

#include <math.h>

/* Triangles of a sheet are not steeper than this cosine says. */
static const double steepest = 0.5;

/* Of lengths: more than rounding. */
static const double hair = 1e-6;

typedef struct {
    double x, y;
} spot;

/* A triangle of a sheet, on the plane. */
typedef struct {
    spot corner[3];
    double cosine;
    int32_t triangle;
} flat;

typedef struct {
    const sn_self_surface *surface;
    const int32_t (*neighbour)[3];
    const sn_self_patches *patches;
    const uint32_t *patch_of; /* of each triangle */
    uint32_t *near, *seen;    /* which sheet a patch is in reach of, and a triangle is in */
    bool *held;               /* of each entry of a ring: the patch's sheet holds it */
    SN_VECTOR(flat) sheet;
    uint32_t number; /* the patch, plus one */
    const sn_self_patch *patch;
    sn_vec middle, x, y, normal;
    double radius;
} sheet;

/* ---- On the plane ---- */

static spot on_plane(const sheet *h, sn_vec at)
{
    sn_vec way = sn_vec_sub(at, h->middle);
    return (spot){sn_vec_dot(way, h->x), sn_vec_dot(way, h->y)};
}

static flat flattened(const sheet *h, int32_t triangle)
{
    const sn_self_surface *s = h->surface;
    sn_self_triangle t = sn_self_triangle_of(s, s->triangle[triangle]);
    sn_vec corner[3];
    flat f = {.triangle = triangle};
    sn_self_corners_at_rest(s, &t, corner);
    for (int c = 0; c < 3; c++)
        f.corner[c] = on_plane(h, corner[c]);
    f.cosine = sn_vec_dot(sn_vec_unit(sn_triangle_normal(corner)), h->normal);
    return f;
}

static double length_of(spot a)
{
    return sqrt(a.x * a.x + a.y * a.y);
}

/* From the middle to the nearest place of an edge. */
static double distance_to(spot a, spot b)
{
    spot e = {b.x - a.x, b.y - a.y};
    double square = e.x * e.x + e.y * e.y;
    double t = square > 0 ? -(a.x * e.x + a.y * e.y) / square : 0;
    t = fmin(fmax(t, 0), 1);
    return length_of((spot){a.x + t * e.x, a.y + t * e.y});
}

/* Twice the area of a triangle. */
static double turn(spot a, spot b, spot c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool covers(const flat *f, spot p)
{
    double whole = turn(f->corner[0], f->corner[1], f->corner[2]);
    for (int e = 0; e < 3; e++)
        if (turn(f->corner[e], f->corner[(e + 1) % 3], p) < -hair * whole)
            return false;
    return true;
}

/* ---- Following it ---- */

static void stand_on(sheet *h, uint32_t number)
{
    const sn_self_patch *p = &h->patches->patch[number];
    const sn_mesh *rest = h->surface->embedding->solids[p->body].mesh;
    h->patch = p;
    h->number = number + 1;
    h->sheet.count = 0;
    h->radius = INFINITY;
    h->middle = (sn_vec){0, 0, 0};
    for (int i = 0; i < p->n_vertices; i++)
        h->middle = sn_vec_add(
            h->middle, sn_vec_scale(sn_vec_load(rest->vertex[p->vertex[i]]), 1. / p->n_vertices));
    h->x = (sn_vec){(double)p->axis[0][0], (double)p->axis[0][1], (double)p->axis[0][2]};
    h->y = (sn_vec){(double)p->axis[1][0], (double)p->axis[1][1], (double)p->axis[1][2]};
    h->normal = sn_vec_cross(h->x, h->y);
}

static void mark_ring(sheet *h, uint32_t patch)
{
    const sn_self_patches *p = h->patches;
    h->near[patch] = h->number;
    for (uint32_t i = p->first[patch]; i < p->first[patch + 1]; i++)
        h->near[p->ring[i] & SN_PATCH_NUMBER] = h->number;
}

static void mark_two_rings(sheet *h)
{
    const sn_self_patches *p = h->patches;
    uint32_t own = h->number - 1;
    mark_ring(h, own);
    for (uint32_t i = p->first[own]; i < p->first[own + 1]; i++)
        mark_ring(h, p->ring[i] & SN_PATCH_NUMBER);
}

static bool may_follow(const sheet *h, int32_t triangle, flat *f)
{
    if (triangle < 0 || h->near[h->patch_of[triangle]] != h->number)
        return false;
    *f = flattened(h, triangle);
    return f->cosine >= steepest;
}

/* Over an edge of one of the sheet's triangles. */
static void follow_edge(sheet *h, spot from, spot to, int32_t next)
{
    flat f;
    if (next >= 0 && h->seen[next] == h->number)
        return;
    if (may_follow(h, next, &f)) {
        h->seen[next] = h->number;
        sn_push(&h->sheet, f);
    } else {
        h->radius = fmin(h->radius, distance_to(from, to));
    }
}

static void follow(sheet *h)
{
    flat f;
    int32_t start = (int32_t)h->patch->triangle;
    if (!may_follow(h, start, &f)) {
        h->radius = 0;
        return;
    }
    h->seen[start] = h->number;
    sn_push(&h->sheet, f);
    for (size_t i = 0; i < h->sheet.count; i++) {
        f = h->sheet.data[i];
        for (int e = 0; e < 3; e++)
            follow_edge(h, f.corner[e], f.corner[(e + 1) % 3], h->neighbour[f.triangle][e]);
    }
    h->radius *= 1 - hair;
}

/* ---- What it is good for ---- */

/* Is a place within the disc, in the middle of a triangle, covered by this one alone? */
static bool is_single(const sheet *h)
{
    spot place = {INFINITY, INFINITY};
    for (size_t i = 0; i < h->sheet.count; i++) {
        const flat *f = &h->sheet.data[i];
        spot middle = {(f->corner[0].x + f->corner[1].x + f->corner[2].x) / 3,
                       (f->corner[0].y + f->corner[1].y + f->corner[2].y) / 3};
        if (isinf(place.x) || length_of(middle) < length_of(place))
            place = middle;
    }
    int times = 0;
    for (size_t i = 0; i < h->sheet.count; i++)
        times += covers(&h->sheet.data[i], place);
    return length_of(place) < h->radius && times == 1;
}

/* Ways on what lies over the disc are longer than on the plane by one over its least cosine. */
static double tilt_of(const sheet *h)
{
    double least = 1;
    for (size_t i = 0; i < h->sheet.count; i++) {
        flat f = h->sheet.data[i];
        double nearest = INFINITY, size = 0;
        for (int e = 0; e < 3; e++) {
            spot a = f.corner[e], b = f.corner[(e + 1) % 3];
            nearest = fmin(nearest, length_of(a));
            size = fmax(size, length_of((spot){b.x - a.x, b.y - a.y}));
        }
        if (nearest - size <= h->radius)
            least = fmin(least, f.cosine);
    }
    return 1 / least;
}

static bool holds(const sheet *h, uint32_t patch)
{
    const sn_self_patch *p = &h->patches->patch[patch];
    const sn_mesh *rest = h->surface->embedding->solids[p->body].mesh;
    for (uint32_t t = 0; t < p->n_triangles; t++)
        if (h->seen[p->triangle + t] != h->number)
            return false;
    for (int i = 0; i < p->n_vertices; i++)
        if (length_of(on_plane(h, sn_vec_load(rest->vertex[p->vertex[i]]))) > h->radius)
            return false;
    return true;
}

static void lay_sheet(sheet *h, uint32_t number, sn_self_patches *patches)
{
    sn_self_patch *p = &patches->patch[number];
    stand_on(h, number);
    mark_two_rings(h);
    follow(h);
    p->in_sheet = h->radius > 0 && isfinite(h->radius) && is_single(h) && holds(h, number);
    p->tilt = p->in_sheet ? (float)tilt_of(h) : INFINITY;
    for (uint32_t i = patches->first[number]; i < patches->first[number + 1] && p->in_sheet; i++)
        h->held[i] = holds(h, patches->ring[i]);
}

/* ---- All of them ---- */

static uint32_t *patches_of_triangles(const sn_self_surface *s, const sn_self_patches *p)
{
    uint32_t *of = SN_NEW(uint32_t, s->n_triangles);
    for (size_t i = 0; i < p->n; i++)
        for (uint32_t t = 0; t < p->patch[i].n_triangles; t++)
            of[p->patch[i].triangle + t] = (uint32_t)i;
    return of;
}

static uint32_t *entry_of(const sn_self_patches *p, uint32_t patch, uint32_t other)
{
    uint32_t i = p->first[patch];
    while ((p->ring[i] & SN_PATCH_NUMBER) != other)
        i++;
    return &p->ring[i];
}

/* Each of two learns what the other's sheet holds. */
static void note_held(const bool *held, sn_self_patches *p)
{
    for (uint32_t a = 0; a < p->n; a++)
        for (uint32_t i = p->first[a]; i < p->first[a + 1]; i++)
            if (held[i]) {
                p->ring[i] |= SN_PATCH_IN_SHEET;
                *entry_of(p, p->ring[i] & SN_PATCH_NUMBER, a) |= SN_PATCH_SHEET_OF_OTHER;
            }
}

void sn_self_patches_lay_sheets(const sn_self_surface *s, const int32_t (*neighbour)[3],
                                sn_self_patches *patches)
{
    uint32_t *of = patches_of_triangles(s, patches);
    bool *held = SN_NEW_ZERO(bool, patches->first[patches->n]);
#pragma omp parallel
    {
        sheet h = {.surface = s,
                   .neighbour = neighbour,
                   .patches = patches,
                   .patch_of = of,
                   .held = held,
                   .near = SN_NEW_ZERO(uint32_t, patches->n),
                   .seen = SN_NEW_ZERO(uint32_t, s->n_triangles)};
#pragma omp for schedule(dynamic, 64)
        for (size_t i = 0; i < patches->n; i++)
            lay_sheet(&h, (uint32_t)i, patches);
        sn_vector_free(&h.sheet);
        sn_free(h.near);
        sn_free(h.seen);
    }
    sn_free(of);
    note_held(held, patches);
    sn_free(held);
}
