#include "survey/crossings.h"

#include "base/array.h"
#include "base/sort.h"
#include "contact/self/box_tree.h"
#include "contact/self/exact.h"
#include "curve/octant.h"
#include "mesh/weld.h"

#include <math.h>

enum { MOST_LOOKED_AT = 4096 /* a triangle */, GRID = 1 << 16 };

/* Boxes are in parts of the mesh's size, and larger by this: more than what single precision and
 * the snap change. */
static const float HAIR = 1e-6f;

typedef struct {
    const sn_mesh *mesh;
    sn_exact_grid grid;
    int32_t *point;   /* of each vertex */
    uint32_t *along;  /* triangles along the curve */
    sn_box_tree tree; /* their boxes, in that order */
} search;

/* ---- Making it ---- */

static double extent_of(const sn_box *box)
{
    double extent = 0;
    for (int d = 0; d < 3; d++)
        extent = fmax(extent, box->max[d] - box->min[d]);
    return extent;
}

static uint64_t key_of(const sn_mesh *mesh, const sn_box *box, double extent, int64_t t)
{
    uint32_t at[3];
    for (int d = 0; d < 3; d++) {
        double sum = 0;
        for (int c = 0; c < 3; c++)
            sum += mesh->vertex[mesh->triangle[t][c]][d];
        at[d] = (uint32_t)((GRID - 1) * (sum / 3 - box->min[d]) / extent);
    }
    return sn_key_of(0, at[0], at[1], at[2]);
}

static uint32_t *order_along_curve(const sn_mesh *mesh, const sn_box *box)
{
    size_t n = (size_t)mesh->n_triangles;
    uint64_t *key = SN_NEW(uint64_t, n);
    uint32_t *order = SN_NEW(uint32_t, n);
    for (size_t t = 0; t < n; t++)
        key[t] = key_of(mesh, box, extent_of(box), (int64_t)t);
    sn_sort_keys_with_order(key, order, n);
    sn_free(key);
    return order;
}

static sn_small_box box_of(const sn_mesh *mesh, const sn_box *all, int64_t t)
{
    sn_small_box box = sn_no_box;
    double extent = extent_of(all);
    for (int c = 0; c < 3; c++) {
        const double *v = mesh->vertex[mesh->triangle[t][c]];
        sn_small_box corner;
        for (int d = 0; d < 3; d++) {
            float at = (float)((v[d] - all->min[d]) / extent);
            corner.min[d] = at - HAIR;
            corner.max[d] = at + HAIR;
        }
        sn_small_box_include(&box, &corner);
    }
    return box;
}

static search make_search(const sn_mesh *mesh)
{
    sn_box box = sn_mesh_bounds(mesh);
    search s = {.mesh = mesh,
                .grid = sn_exact_grid_around(&box),
                .point = SN_NEW(int32_t, mesh->n_vertices),
                .along = order_along_curve(mesh, &box),
                .tree = sn_box_tree_create((size_t)mesh->n_triangles)};
    sn_weld((const double(*)[3])mesh->vertex, mesh->n_vertices, s.point);
    for (size_t i = 0; i < (size_t)mesh->n_triangles; i++)
        sn_box_tree_set(&s.tree, i, box_of(mesh, &box, s.along[i]));
    sn_box_tree_fill(&s.tree);
    return s;
}

static void free_search(search *s)
{
    sn_free(s->point);
    sn_free(s->along);
    sn_box_tree_free(&s->tree);
}

/* ---- Two triangles ---- */

typedef struct {
    sn_exact_point corner[3];
    int32_t point[3];
} probe;

static probe probe_of(const search *s, int64_t t)
{
    probe p;
    for (int c = 0; c < 3; c++) {
        int32_t v = s->mesh->triangle[t][c];
        p.point[c] = s->point[v];
        p.corner[c] = sn_exact_snap(&s->grid, s->mesh->vertex[v], p.point[c]);
    }
    return p;
}

static bool has_corner(const probe *p, int32_t point)
{
    return p->point[0] == point || p->point[1] == point || p->point[2] == point;
}

static bool is_flat(const probe *p)
{
    return p->point[0] == p->point[1] || p->point[1] == p->point[2] || p->point[2] == p->point[0];
}

static bool edge_passes(const probe *a, const probe *b)
{
    for (int from = 0, to = 1; from < 3; from++, to = (to + 1) % 3)
        if (!has_corner(b, a->point[from]) && !has_corner(b, a->point[to]) &&
            sn_exact_passes(&a->corner[from], &a->corner[to], b->corner) != 0)
            return true;
    return false;
}

static bool cross(const search *s, int64_t a, int64_t b)
{
    probe one = probe_of(s, a), other = probe_of(s, b);
    return !is_flat(&one) && !is_flat(&other) &&
           (edge_passes(&one, &other) || edge_passes(&other, &one));
}

/* ---- All of them ---- */

static bool is_before(const int32_t a[2], const int32_t b[2])
{
    return b[0] == 0 || a[0] < b[0] || (a[0] == b[0] && a[1] < b[1]);
}

static void note(const search *s, int64_t a, int64_t b, sn_mesh_crossings *found)
{
    int64_t first = a < b ? a : b, second = a < b ? b : a;
    int32_t face[2] = {s->mesh->face[first], s->mesh->face[second]};
    found->pairs++;
    if (!is_before(face, found->face))
        return;
    for (int i = 0; i < 2; i++)
        found->face[i] = face[i];
    for (int d = 0; d < 3; d++) {
        found->place[d] = 0;
        for (int c = 0; c < 3; c++)
            found->place[d] += s->mesh->vertex[s->mesh->triangle[first][c]][d] / 3;
    }
}

/* A triangle against those that follow it along the curve. */
typedef struct {
    const search *search;
    size_t triangle;
    int looked_at;
    sn_mesh_crossings *found;
} look;

static bool look_at(void *context, size_t other)
{
    look *l = context;
    const search *s = l->search;
    if (++l->looked_at > MOST_LOOKED_AT) {
        l->found->more = true;
        return false;
    }
    if (cross(s, s->along[l->triangle], s->along[other]))
        note(s, s->along[l->triangle], s->along[other], l->found);
    return true;
}

static void look_around(const search *s, size_t i, sn_mesh_crossings *found)
{
    look l = {s, i, 0, found};
    sn_small_box box = sn_box_tree_leaf(&s->tree, i);
    sn_box_tree_visit(&s->tree, &box, i + 1, look_at, &l);
}

static void add(sn_mesh_crossings *all, const sn_mesh_crossings *some)
{
    int64_t pairs = all->pairs + some->pairs;
    bool more = all->more || some->more;
    if (some->pairs > 0 && is_before(some->face, all->face))
        *all = *some;
    all->pairs = pairs;
    all->more = more;
}

sn_mesh_crossings sn_mesh_find_crossings(const sn_mesh *mesh)
{
    search s = make_search(mesh);
    sn_mesh_crossings all = {0};
#pragma omp parallel
    {
        sn_mesh_crossings mine = {0};
#pragma omp for schedule(dynamic, 64)
        for (size_t i = 0; i < (size_t)mesh->n_triangles; i++)
            look_around(&s, i, &mine);
#pragma omp critical
        add(&all, &mine);
    }
    free_search(&s);
    return all;
}
