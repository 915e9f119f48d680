/* How a surface is cut into patches: each grows from a seed, always by the triangle that adds the
 * fewest corners, and of these the nearest. */
#include "base/array.h"
#include "base/sort.h"
#include "contact/self/patches_parts.h"
#include "mesh/triangle.h"

#include <math.h>

/* Normals of a patch have at least this product with its first triangle's. */
static const double same_way = 0.5;

/* Squares of distances count for so much where a triangle adds no corner, and where none, one or
 * two of its neighbours are still free. */
static const double fewer_corners = 0.25, left_alone[4] = {0.1, 0.5, 1, 1};

/* ---- Neighbours ---- */

typedef struct {
    uint64_t ends; /* points within the body, the lower one above */
    uint32_t edge; /* three for each triangle */
    uint32_t way;  /* twice the body, plus one if it begins at the higher point */
} edge_record;

static edge_record record_of(const sn_self_surface *s, const sn_self_triangle *t, size_t i,
                             size_t e)
{
    int64_t base = s->embedding->body_first[t->body];
    uint64_t a = (uint64_t)(t->corner[e] - base), b = (uint64_t)(t->corner[(e + 1) % 3] - base);
    return (edge_record){a < b ? a << 32 | b : b << 32 | a, (uint32_t)(3 * i + e),
                         2 * (uint32_t)t->body + (a > b)};
}

/* The only other triangle of the same body among records of the same ends, if its edge goes the
 * other way; -1: there is none, or there are several. */
static int32_t only_other(const edge_record *record, size_t from, size_t to, size_t mine)
{
    int32_t other = -1;
    for (size_t i = from; i < to; i++) {
        if (i == mine || record[i].way / 2 != record[mine].way / 2)
            continue;
        if (other >= 0 || record[i].way == record[mine].way)
            return -1;
        other = (int32_t)(record[i].edge / 3);
    }
    return other;
}

int32_t (*sn_self_neighbours(const sn_self_surface *s))[3]
{
    size_t n = 3 * s->n_triangles;
    edge_record *record = SN_NEW(edge_record, n);
#pragma omp parallel for
    for (size_t i = 0; i < s->n_triangles; i++) {
        sn_self_triangle t = sn_self_triangle_of(s, s->triangle[i]);
        for (size_t e = 0; e < 3; e++)
            record[3 * i + e] = record_of(s, &t, i, e);
    }
    sn_sort_records(record, sizeof *record, n);
    int32_t(*neighbour)[3] = SN_NEW(int32_t[3], s->n_triangles);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && record[to].ends == record[from].ends;)
            to++;
        for (size_t i = from; i < to; i++)
            neighbour[record[i].edge / 3][record[i].edge % 3] = only_other(record, from, to, i);
    }
    sn_free(record);
    return neighbour;
}

/* ---- Growth ---- */

typedef struct {
    sn_vec middle, normal;
    sn_self_triangle t;
} shape;

typedef struct {
    const sn_self_surface *surface;
    const int32_t (*neighbour)[3];
    bool *taken;
    uint32_t triangle[SN_PATCH];
    int64_t corner[SN_PATCH];
    int n, n_corners;
    sn_vec sum, normal; /* of middles; of the first one */
} growth;

static shape shape_of(const sn_self_surface *s, size_t i)
{
    sn_vec corner[3];
    shape a = {.t = sn_self_triangle_of(s, s->triangle[i])};
    sn_self_corners_at_rest(s, &a.t, corner);
    a.middle = sn_vec_scale(sn_vec_add(corner[0], sn_vec_add(corner[1], corner[2])), 1. / 3);
    a.normal = sn_vec_unit(sn_triangle_normal(corner));
    return a;
}

static bool has_corner(const growth *g, int64_t point)
{
    for (int i = 0; i < g->n_corners; i++)
        if (g->corner[i] == point)
            return true;
    return false;
}

static int new_corners(const growth *g, const shape *a)
{
    int n = 0;
    for (int c = 0; c < 3; c++)
        n += !has_corner(g, a->t.corner[c]);
    return n;
}

static void take(growth *g, size_t i, const shape *a)
{
    for (int c = 0; c < 3; c++)
        if (!has_corner(g, a->t.corner[c]))
            g->corner[g->n_corners++] = a->t.corner[c];
    g->sum = sn_vec_add(g->sum, a->middle);
    g->triangle[g->n++] = (uint32_t)i;
    g->taken[i] = true;
}

/* How many of a triangle's neighbours are in no patch yet. */
static int free_beside(const growth *g, size_t i)
{
    int n = 0;
    for (int e = 0; e < 3; e++) {
        int32_t next = g->neighbour[i][e];
        n += next >= 0 && !g->taken[next];
    }
    return n;
}

/* How much a triangle is wanted: the near ones first, those that add no corner, and those that
 * would be left alone; infinite: not at all. */
static double price(const growth *g, size_t i, shape *a)
{
    *a = shape_of(g->surface, i);
    int n = new_corners(g, a);
    if (g->n_corners + n > SN_PATCH || sn_vec_dot(a->normal, g->normal) < same_way)
        return INFINITY;
    sn_vec way = sn_vec_sub(a->middle, sn_vec_scale(g->sum, 1. / g->n));
    return sn_vec_dot(way, way) * (n == 0 ? fewer_corners : 1) * left_alone[free_beside(g, i)];
}

static bool grow_once(growth *g)
{
    double least = INFINITY;
    size_t best = 0;
    shape of_best = {.t = {0}};
    for (int i = 0; i < g->n; i++)
        for (int e = 0; e < 3; e++) {
            int32_t next = g->neighbour[g->triangle[i]][e];
            shape a;
            if (next < 0 || g->taken[next])
                continue;
            double asked = price(g, (size_t)next, &a);
            if (!(asked < least))
                continue;
            least = asked;
            best = (size_t)next;
            of_best = a;
        }
    if (isinf(least))
        return false;
    take(g, best, &of_best);
    return true;
}

static void grow(growth *g, size_t seed)
{
    shape a = shape_of(g->surface, seed);
    g->n = g->n_corners = 0;
    g->sum = (sn_vec){0, 0, 0};
    g->normal = a.normal;
    take(g, seed, &a);
    while (g->n < SN_PATCH && grow_once(g))
        continue;
}

typedef SN_VECTOR(uint32_t) number_list;

size_t sn_self_patches_grow(const sn_self_surface *s, const int32_t (*neighbour)[3],
                            uint32_t **order, uint32_t **first)
{
    growth g = {.surface = s, .neighbour = neighbour, .taken = SN_NEW_ZERO(bool, s->n_triangles)};
    number_list triangles = {0}, starts = {0};
    for (size_t seed = 0; seed < s->n_triangles; seed++) {
        if (g.taken[seed])
            continue;
        grow(&g, seed);
        sn_push(&starts, (uint32_t)triangles.count);
        for (int i = 0; i < g.n; i++)
            sn_push(&triangles, g.triangle[i]);
    }
    size_t n = starts.count;
    sn_push(&starts, (uint32_t)triangles.count);
    sn_free(g.taken);
    *order = triangles.data;
    *first = starts.data;
    return n;
}
