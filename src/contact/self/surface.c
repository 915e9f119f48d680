#include "contact/self/surface.h"

#include "base/array.h"
#include "base/sort.h"
#include "mesh/triangle.h"
#include "mesh/weld.h"

#include <math.h>
#include <string.h>

enum { JOINED_AT_ONCE = 1 << 20 }; /* numbers in one reduction */

typedef struct {
    uint64_t point;
    int64_t triangle;
} corner_record;

typedef struct {
    uint64_t order; /* where its lowest point stands along the curve */
    int64_t triangle;
} placed_triangle;

typedef SN_VECTOR(corner_record) corner_list;
typedef SN_VECTOR(placed_triangle) triangle_list;

static int bodies_of(const sn_self_surface *s)
{
    return s->embedding->tree->bodies->n;
}

/* ---- What is held once a node ---- */

static void fill_points(sn_self_surface *s)
{
    for (int b = 0; b < bodies_of(s); b++) {
        const sn_mesh *mesh = s->embedding->solids[b].mesh;
        int32_t *point = s->point + s->embedding->body_first[b];
        int64_t n = sn_weld((const double(*)[3])mesh->vertex, mesh->n_vertices, point);
        int32_t *lowest = SN_NEW(int32_t, n), seen = 0;
        for (int64_t v = 0; v < mesh->n_vertices; v++) {
            if (point[v] == seen)
                lowest[seen++] = (int32_t)v;
            point[v] = lowest[point[v]];
        }
        sn_free(lowest);
    }
}

/* Ranks plus one, and the copies in the lowest bits; where a node has no vertex its table is zero.
 */
static void join_owners(const sn_self_surface *s, int64_t n)
{
    for (int64_t done = 0; done < n; done += JOINED_AT_ONCE) {
        int count = (int)(n - done < JOINED_AT_ONCE ? n - done : JOINED_AT_ONCE);
        MPI_Allreduce(MPI_IN_PLACE, s->owner + done, count, MPI_INT32_T, MPI_MAX, s->block.leaders);
    }
    for (int64_t v = 0; v < n; v++) {
        s->copy[v] = (uint8_t)(s->owner[v] & (SN_MOST_COPIES - 1));
        s->owner[v] = (s->owner[v] >> SN_COPY_BITS) - 1;
    }
}

static void make_tables(sn_self_surface *s)
{
    const sn_embedding *e = s->embedding;
    int64_t n = sn_embedding_vertices(e);
    size_t bytes = (size_t)n * (3 * sizeof *s->owner + sizeof *s->copy);
    s->owner = sn_shared_block_create(e->tree->comm, bytes, &s->block);
    s->point = s->owner ? s->owner + n : NULL;
    s->slot = s->owner ? s->point + n : NULL;
    s->copy = s->owner ? (uint8_t *)(s->slot + n) : NULL;
    if (s->block.is_leader && n > 0) {
        memset(s->owner, 0, (size_t)n * sizeof *s->owner);
        for (int64_t v = 0; v < n; v++)
            s->slot[v] = -1;
        fill_points(s);
    }
    sn_shared_block_fence(&s->block);
    for (size_t i = 0; i < e->n; i++)
        s->owner[e->vertex[i]] =
            ((int32_t)s->rank + 1) << SN_COPY_BITS | (e->copy ? e->copy[i] : 0);
    sn_shared_block_fence(&s->block);
    if (s->block.is_leader)
        join_owners(s, n);
    sn_shared_block_fence(&s->block);
}

/* ---- What this rank looks after ---- */

static int body_with(const sn_self_surface *s, int64_t triangle)
{
    int low = 0, high = bodies_of(s) - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (s->triangle_first[middle] <= triangle)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

sn_self_triangle sn_self_triangle_of(const sn_self_surface *s, int64_t number)
{
    sn_self_triangle t = {.number = number, .body = body_with(s, number)};
    int64_t base = s->embedding->body_first[t.body];
    const int32_t *corner =
        s->embedding->solids[t.body].mesh->triangle[number - s->triangle_first[t.body]];
    for (int c = 0; c < 3; c++)
        t.corner[c] = base + s->point[base + corner[c]];
    return t;
}

static bool is_degenerate(const sn_self_triangle *t)
{
    return t->corner[0] == t->corner[1] || t->corner[1] == t->corner[2] ||
           t->corner[2] == t->corner[0];
}

static int64_t lowest_corner(const sn_self_triangle *t)
{
    int64_t low = t->corner[0] < t->corner[1] ? t->corner[0] : t->corner[1];
    return low < t->corner[2] ? low : t->corner[2];
}

/* Every rank looks at all triangles, once: the table of owners tells what is its own. */
static corner_list own_corners(const sn_self_surface *s)
{
    corner_list list = {0};
    for (int64_t number = 0; number < s->triangle_first[bodies_of(s)]; number++) {
        sn_self_triangle t = sn_self_triangle_of(s, number);
        if (is_degenerate(&t))
            continue;
        for (int c = 0; c < 3; c++)
            if (s->owner[t.corner[c]] == s->rank)
                sn_push(&list, ((corner_record){(uint64_t)t.corner[c], number}));
    }
    SN_RESIZE(list.data, list.count);
    sn_sort_records(list.data, sizeof *list.data, list.count); /* stable: triangles ascend */
    return list;
}

static void group_by_point(sn_self_surface *s, const corner_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        s->n_points += i == 0 || list->data[i].point != list->data[i - 1].point;
    s->number = SN_NEW(int64_t, s->n_points);
    s->first = SN_NEW(uint32_t, s->n_points + 1);
    s->around = SN_NEW(uint32_t, list->count);
    size_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (i == 0 || list->data[i].point != list->data[i - 1].point) {
            s->number[n] = (int64_t)list->data[i].point;
            s->first[n++] = (uint32_t)i;
        }
        s->around[i] = (uint32_t)list->data[i].triangle;
    }
    s->first[n] = (uint32_t)list->count;
}

/* Only its rank ever asks for a slot. */
static void number_points(sn_self_surface *s)
{
    for (size_t p = 0; p < s->n_points; p++)
        s->slot[s->number[p]] = (int32_t)p;
    sn_shared_block_fence(&s->block);
}

size_t sn_self_find_point(const sn_self_surface *s, int64_t number)
{
    int32_t slot = s->owner[number] == s->rank ? s->slot[number] : -1;
    return slot >= 0 ? (size_t)slot : s->n_points;
}

static void place_points(sn_self_surface *s)
{
    const sn_embedding *e = s->embedding;
    s->place = SN_NEW(uint32_t, s->n_points);
    for (size_t i = 0; i < e->n; i++) {
        size_t p = sn_self_find_point(s, e->vertex[i]);
        if (p < s->n_points)
            s->place[p] = (uint32_t)i;
    }
}

/* Along the curve. */
static void collect_triangles(sn_self_surface *s)
{
    triangle_list list = {0};
    for (size_t p = 0; p < s->n_points; p++)
        for (size_t i = s->first[p]; i < s->first[p + 1]; i++) {
            sn_self_triangle t = sn_self_triangle_of(s, s->around[i]);
            if (lowest_corner(&t) == s->number[p])
                sn_push(&list, ((placed_triangle){s->place[p], t.number}));
        }
    sn_sort_records(list.data, sizeof *list.data, list.count);
    s->n_triangles = list.count;
    s->triangle = SN_NEW(uint32_t, list.count);
    for (size_t i = 0; i < list.count; i++)
        s->triangle[i] = (uint32_t)list.data[i].triangle;
    sn_vector_free(&list);
}

void sn_self_corners(const sn_self_surface *s, const sn_mesh *shape, const sn_self_triangle *t,
                     sn_vec corner[3])
{
    for (int c = 0; c < 3; c++)
        corner[c] = sn_vec_load(sn_self_at(s, shape, t->body, t->corner[c]));
}

void sn_self_corners_at_rest(const sn_self_surface *s, const sn_self_triangle *t, sn_vec corner[3])
{
    const sn_mesh *rest = s->embedding->solids[t->body].mesh;
    for (int c = 0; c < 3; c++)
        corner[c] = sn_vec_load(rest->vertex[t->corner[c] - s->embedding->body_first[t->body]]);
}

sn_vec sn_self_twice_area(const sn_self_surface *s, const sn_mesh *shape, const sn_self_triangle *t)
{
    sn_vec corner[3];
    sn_self_corners(s, shape, t, corner);
    return sn_triangle_normal(corner);
}

/* A point may have several such patches: any of them tells where the others are, in its ring. */
static void find_homes(sn_self_surface *s)
{
    const sn_self_patches *p = &s->patches;
    s->home = SN_NEW(uint32_t, s->n_points);
    for (size_t i = 0; i < s->n_points; i++)
        s->home[i] = SN_NO_HOME;
    for (size_t i = 0; i < p->n; i++)
        for (int k = 0; k < p->patch[i].n_vertices && p->patch[i].is_inner; k++) {
            int64_t base = s->embedding->body_first[p->patch[i].body];
            s->home[sn_self_find_point(s, base + p->patch[i].vertex[k])] = (uint32_t)i;
        }
}

void sn_self_surface_create(const sn_embedding *embedding, const double *outward,
                            sn_self_surface *surface)
{
    sn_self_surface *s = surface;
    *s = (sn_self_surface){.embedding = embedding, .outward = outward, .cell = INFINITY};
    MPI_Comm_rank(embedding->tree->comm, &s->rank);
    int n = bodies_of(s);
    s->triangle_first = SN_NEW_ZERO(int64_t, n + 1);
    for (int b = 0; b < n; b++) {
        s->triangle_first[b + 1] = s->triangle_first[b] + embedding->solids[b].mesh->n_triangles;
        s->cell = fmin(s->cell, embedding->tree->bodies->body[b].cell);
    }
    make_tables(s);
    corner_list corners = own_corners(s);
    group_by_point(s, &corners);
    sn_vector_free(&corners);
    number_points(s);
    place_points(s);
    collect_triangles(s);
    sn_self_patches_create(s, &s->patches);
    find_homes(s);
}

void sn_self_surface_free(sn_self_surface *s)
{
    sn_shared_block_free(&s->block);
    sn_free(s->triangle_first);
    sn_free(s->number);
    sn_free(s->place);
    sn_free(s->first);
    sn_free(s->around);
    sn_free(s->triangle);
    sn_free(s->home);
    sn_self_patches_free(&s->patches);
    *s = (sn_self_surface){0};
}

size_t sn_self_surface_memory(const sn_self_surface *s)
{
    size_t each = sizeof *s->number + sizeof *s->place + sizeof *s->first + sizeof *s->home;
    return s->n_points * each + s->first[s->n_points] * sizeof *s->around +
           s->n_triangles * sizeof *s->triangle + sn_self_patches_memory(&s->patches);
}

/* ---- Shapes ---- */

sn_box sn_self_box(const sn_self_surface *s, const sn_mesh *shape, const sn_self_triangle *t)
{
    sn_box box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int c = 0; c < 3; c++) {
        const double *at = sn_self_at(s, shape, t->body, t->corner[c]);
        for (int d = 0; d < 3; d++) {
            box.min[d] = at[d] < box.min[d] ? at[d] : box.min[d];
            box.max[d] = at[d] > box.max[d] ? at[d] : box.max[d];
        }
    }
    return box;
}

sn_box sn_self_bounds(const sn_self_surface *s, const sn_mesh *shape)
{
    double low[6]; /* the lower corner, and the upper one negated */
    for (int d = 0; d < 6; d++)
        low[d] = INFINITY;
#pragma omp parallel for reduction(min : low)
    for (size_t p = 0; p < s->n_points; p++) {
        const double *at =
            sn_self_at(s, shape, sn_embedding_body_of(s->embedding, s->number[p]), s->number[p]);
        for (int d = 0; d < 3; d++) {
            double up = isfinite(at[d]) ? at[d] : -INFINITY;
            double down = isfinite(at[d]) ? -at[d] : -INFINITY;
            low[d] = up < low[d] ? up : low[d];
            low[d + 3] = down < low[d + 3] ? down : low[d + 3];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, low, 6, MPI_DOUBLE, MPI_MIN, s->embedding->tree->comm);
    return (sn_box){{low[0], low[1], low[2]}, {-low[3], -low[4], -low[5]}};
}
