#include "contact/self/patches.h"

#include "base/array.h"
#include "base/sort.h"
#include "contact/self/patches_parts.h"
#include "mesh/triangle.h"

#include <math.h>
#include <string.h>

/* Triangles that are slimmer tell nothing: a corner that is moved by a grain of the patch would
 * change them by more than a twentieth. And of the square of what two edges span, so much of the
 * square of their lengths is left after rounding. */
static const double most_slim = 0.025, least_spanned = 1e-5;

static const double grains = 32000; /* across a patch, from its middle */

/* ---- Where its corners are at rest ---- */

typedef struct {
    sn_vec at[SN_PATCH], x, y, normal;
} frame;

static int local_corner(const sn_self_patch *p, int32_t vertex)
{
    for (int i = 0; i < p->n_vertices; i++)
        if (p->vertex[i] == vertex)
            return i;
    return p->n_vertices;
}

static void add_triangle(const sn_self_surface *s, const sn_self_triangle *t, int lane,
                         sn_self_patch *p)
{
    int64_t base = s->embedding->body_first[t->body];
    for (int c = 0; c < 3; c++) {
        int32_t vertex = (int32_t)(t->corner[c] - base);
        int at = local_corner(p, vertex);
        if (at == p->n_vertices)
            p->vertex[p->n_vertices++] = vertex;
        p->corner[c][lane] = (uint8_t)at;
    }
}

/* Around the middle of the corners, along the sum of areas. */
static frame frame_of(const sn_self_surface *s, const sn_self_patch *p)
{
    const sn_mesh *rest = s->embedding->solids[p->body].mesh;
    frame f = {.normal = {0, 0, 0}};
    sn_vec middle = {0, 0, 0};
    for (int i = 0; i < p->n_vertices; i++) {
        f.at[i] = sn_vec_load(rest->vertex[p->vertex[i]]);
        middle = sn_vec_add(middle, sn_vec_scale(f.at[i], 1. / p->n_vertices));
    }
    for (int i = 0; i < p->n_vertices; i++)
        f.at[i] = sn_vec_sub(f.at[i], middle);
    for (int t = 0; t < p->n_triangles; t++) {
        sn_vec corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = f.at[p->corner[c][t]];
        f.normal = sn_vec_add(f.normal, sn_triangle_normal(corner));
    }
    f.normal = sn_vec_unit(f.normal);
    sn_vec aside = fabs(f.normal.x) < 0.6 ? (sn_vec){1, 0, 0} : (sn_vec){0, 1, 0};
    f.x = sn_vec_unit(sn_vec_cross(aside, f.normal));
    f.y = sn_vec_cross(f.normal, f.x);
    return f;
}

static void store_axis(sn_vec a, float to[3])
{
    to[0] = (float)a.x, to[1] = (float)a.y, to[2] = (float)a.z;
}

static void place_corners(const frame *f, sn_self_patch *p)
{
    double size = 0, at[3];
    for (int i = 0; i < p->n_vertices; i++)
        size = fmax(size, sn_vec_length(f->at[i]));
    p->grain = (float)(size / grains);
    for (int i = 0; i < p->n_vertices && p->grain > 0; i++) {
        at[0] = sn_vec_dot(f->at[i], f->x);
        at[1] = sn_vec_dot(f->at[i], f->y);
        at[2] = sn_vec_dot(f->at[i], f->normal);
        for (int d = 0; d < 3; d++)
            p->rest[d][i] = (int16_t)lrint(at[d] / (double)p->grain);
    }
    store_axis(f->x, p->axis[0]);
    store_axis(f->y, p->axis[1]);
    store_axis(f->normal, p->axis[2]);
}

static void invert_spread(sn_self_patch *p)
{
    double xx = 0, xy = 0, yy = 0, grain = (double)p->grain;
    for (int i = 0; i < p->n_vertices; i++) {
        double x = p->rest[0][i] * grain, y = p->rest[1][i] * grain;
        xx += x * x, xy += x * y, yy += y * y;
    }
    double det = xx * yy - xy * xy;
    bool is_flat = det > least_spanned * xx * yy;
    p->spread[0] = is_flat ? (float)(yy / det) : 0;
    p->spread[1] = is_flat ? (float)(-xy / det) : 0;
    p->spread[2] = is_flat ? (float)(xx / det) : 0;
}

static double slimness_of(const sn_vec corner[3])
{
    sn_vec e = sn_vec_sub(corner[1], corner[0]), f = sn_vec_sub(corner[2], corner[0]);
    double ee = sn_vec_dot(e, e), ef = sn_vec_dot(e, f), ff = sn_vec_dot(f, f);
    double det = ee * ff - ef * ef;
    return det > least_spanned * ee * ff ? sqrt((ee + ff + 2 * fabs(ef)) / det) : INFINITY;
}

static void measure_slimness(const frame *f, sn_self_patch *p)
{
    double most = 0;
    for (int t = 0; t < p->n_triangles; t++) {
        sn_vec corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = f->at[p->corner[c][t]];
        most = fmax(most, slimness_of(corner));
    }
    p->slimness = most * (double)p->grain < most_slim ? (float)most : INFINITY;
}

/* ---- Making them ---- */

static bool is_inner(const sn_self_surface *s, const sn_self_patch *p, const uint32_t *own_around)
{
    int64_t base = s->embedding->body_first[p->body];
    for (int i = 0; i < p->n_vertices; i++) {
        size_t point = sn_self_find_point(s, base + p->vertex[i]);
        if (point == s->n_points || own_around[point] != s->first[point + 1] - s->first[point])
            return false;
    }
    return true;
}

/* Of each of this rank's points: how many of the triangles around it are this rank's. */
static uint32_t *count_own(const sn_self_surface *s)
{
    uint32_t *own = SN_NEW_ZERO(uint32_t, s->n_points);
    for (size_t i = 0; i < s->n_triangles; i++) {
        sn_self_triangle t = sn_self_triangle_of(s, s->triangle[i]);
        for (int c = 0; c < 3; c++) {
            size_t point = sn_self_find_point(s, t.corner[c]);
            if (point < s->n_points)
                own[point]++;
        }
    }
    return own;
}

static sn_self_patch make_patch(const sn_self_surface *s, uint32_t from, uint32_t to,
                                const uint32_t *own_around)
{
    sn_self_patch p = {.triangle = from, .n_triangles = (uint8_t)(to - from)};
    for (uint32_t i = from; i < to; i++) {
        sn_self_triangle t = sn_self_triangle_of(s, s->triangle[i]);
        p.body = t.body;
        add_triangle(s, &t, (int)(i - from), &p);
    }
    frame f = frame_of(s, &p);
    place_corners(&f, &p);
    invert_spread(&p);
    measure_slimness(&f, &p);
    p.is_inner = is_inner(s, &p, own_around);
    return p;
}

static void put_in_order(sn_self_surface *s, const uint32_t *order)
{
    uint32_t *triangle = SN_NEW(uint32_t, s->n_triangles);
    for (size_t i = 0; i < s->n_triangles; i++)
        triangle[i] = s->triangle[order[i]];
    sn_free(s->triangle);
    s->triangle = triangle;
}

/* Places in the surface's list become those after it is put in order. */
static void renumber(const uint32_t *order, size_t n, int32_t (**neighbour)[3])
{
    int32_t *now = SN_NEW(int32_t, n), (*moved)[3] = SN_NEW(int32_t[3], n);
    for (size_t i = 0; i < n; i++)
        now[order[i]] = (int32_t)i;
    for (size_t i = 0; i < n; i++)
        for (int e = 0; e < 3; e++) {
            int32_t old = (*neighbour)[order[i]][e];
            moved[i][e] = old < 0 ? -1 : now[old];
        }
    sn_free(now);
    sn_free(*neighbour);
    *neighbour = moved;
}

void sn_self_patches_create(sn_self_surface *s, sn_self_patches *patches)
{
    uint32_t *order, *first, *own_around = count_own(s);
    int32_t(*neighbour)[3] = sn_self_neighbours(s);
    size_t n = sn_self_patches_grow(s, (const int32_t(*)[3])neighbour, &order, &first);
    put_in_order(s, order);
    renumber(order, s->n_triangles, &neighbour);
    *patches = (sn_self_patches){.n = n, .patch = SN_NEW(sn_self_patch, n)};
#pragma omp parallel for
    for (size_t i = 0; i < n; i++)
        patches->patch[i] = make_patch(s, first[i], first[i + 1], own_around);
    sn_free(own_around);
    sn_free(order);
    sn_free(first);
    sn_self_patches_link(s, patches);
    sn_self_patches_lay_sheets(s, (const int32_t(*)[3])neighbour, patches);
    sn_free(neighbour);
}

void sn_self_patches_free(sn_self_patches *p)
{
    sn_free(p->patch);
    sn_free(p->first);
    sn_free(p->ring);
    *p = (sn_self_patches){0};
}

size_t sn_self_patches_memory(const sn_self_patches *p)
{
    size_t each = sizeof *p->patch + sizeof *p->first;
    return p->n == 0 ? 0 : p->n * each + p->first[p->n] * sizeof *p->ring;
}

/* ---- Rings ---- */

typedef struct {
    uint64_t point;
    uint32_t patch, ring;
} meeting;

typedef SN_VECTOR(meeting) meeting_list;

/* Patches at each point, by point; or, the second time, those that meet, by patch. */
static meeting_list corners_of(const sn_self_surface *s, const sn_self_patches *p)
{
    meeting_list list = {0};
    for (size_t i = 0; i < p->n; i++)
        for (int k = 0; k < p->patch[i].n_vertices; k++) {
            int64_t base = s->embedding->body_first[p->patch[i].body];
            uint64_t point = (uint64_t)(base + p->patch[i].vertex[k]);
            sn_push(&list, ((meeting){point, (uint32_t)i, 0}));
        }
    sn_sort_records(list.data, sizeof *list.data, list.count);
    return list;
}

static meeting_list meetings_of(const meeting_list *corners)
{
    meeting_list list = {0};
    for (size_t from = 0, to; from < corners->count; from = to) {
        for (to = from;
             to < corners->count && corners->data[to].point == corners->data[from].point;)
            to++;
        for (size_t a = from; a < to; a++)
            for (size_t b = from; b < to; b++) {
                uint64_t pair = (uint64_t)corners->data[a].patch << 32 | corners->data[b].patch;
                if (a != b)
                    sn_push(&list, ((meeting){pair, 0, 0}));
            }
    }
    sn_sort_records(list.data, sizeof *list.data, list.count);
    return list;
}

void sn_self_patches_link(const sn_self_surface *s, sn_self_patches *p)
{
    meeting_list corners = corners_of(s, p), pairs = meetings_of(&corners);
    sn_vector_free(&corners);
    p->first = SN_NEW_ZERO(uint32_t, p->n + 1);
    size_t n = 0;
    for (size_t i = 0; i < pairs.count; i++)
        if (i == 0 || pairs.data[i].point != pairs.data[i - 1].point)
            pairs.data[n++] = pairs.data[i];
    p->ring = SN_NEW(uint32_t, n);
    for (size_t i = 0; i < n; i++) {
        p->ring[i] = (uint32_t)(pairs.data[i].point & SN_PATCH_NUMBER);
        p->first[(pairs.data[i].point >> 32) + 1]++;
    }
    for (size_t i = 0; i < p->n; i++)
        p->first[i + 1] += p->first[i];
    sn_vector_free(&pairs);
}
