#include "surface/facing.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Which triangles are around a vertex ---- */

/* A vertex's number and where it is among this rank's. */
typedef struct {
    int64_t vertex;
    size_t at;
} numbered;

static int by_vertex(const void *a, const void *b)
{
    const numbered *left = a, *right = b;
    return (left->vertex > right->vertex) - (left->vertex < right->vertex);
}

static numbered *in_order(const sn_embedding *e)
{
    numbered *order = SN_NEW(numbered, e->n);
    for (size_t i = 0; i < e->n; i++)
        order[i] = (numbered){e->vertex[i], i};
    if (e->n > 0)
        qsort(order, e->n, sizeof *order, by_vertex);
    return order;
}

/* Counts or, once `first` tells where they go, lists the triangles of this rank's vertices. */
static void go_through(const sn_embedding *e, const numbered *order, size_t *next,
                       int32_t *triangle)
{
    for (int b = 0; e->n > 0 && b < e->tree->bodies->n; b++) {
        const sn_mesh *mesh = e->solids[b].mesh;
        for (int64_t t = 0; t < mesh->n_triangles; t++)
            for (int k = 0; k < 3; k++) {
                numbered wanted = {.vertex = e->body_first[b] + mesh->triangle[t][k]};
                const numbered *found = bsearch(&wanted, order, e->n, sizeof wanted, by_vertex);
                if (found && triangle)
                    triangle[next[found->at]] = (int32_t)t;
                if (found)
                    next[found->at]++;
            }
    }
}

static void list_triangles(sn_facing *f)
{
    size_t n = f->embedding->n, *next = SN_NEW_ZERO(size_t, n);
    numbered *order = in_order(f->embedding);
    go_through(f->embedding, order, next, NULL);
    f->first = SN_NEW_ZERO(size_t, n + 1);
    for (size_t i = 0; i < n; i++)
        f->first[i + 1] = f->first[i] + next[i];
    f->triangle = SN_NEW(int32_t, f->first[n]);
    if (n > 0)
        memcpy(next, f->first, n * sizeof *next);
    go_through(f->embedding, order, next, f->triangle);
    sn_free(order);
    sn_free(next);
}

/* ---- Directions ---- */

static void corners_of(const sn_mesh *mesh, int64_t triangle, sn_vec corner[3])
{
    for (int k = 0; k < 3; k++)
        corner[k] = sn_vec_load(mesh->vertex[mesh->triangle[triangle][k]]);
}

/* All ranks have the same triangles, and add them up in the same order. */
static double outward_sign(const sn_mesh *mesh)
{
    double volume = 0;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        sn_vec p[3];
        corners_of(mesh, t, p);
        volume += sn_vec_dot(p[0], sn_vec_cross(p[1], p[2]));
    }
    return volume < 0 ? -1 : 1;
}

void sn_facing_create(const sn_embedding *embedding, sn_facing *f)
{
    int bodies = embedding->tree->bodies->n;
    *f = (sn_facing){.embedding = embedding, .outward = SN_NEW(double, bodies)};
    for (int b = 0; b < bodies; b++)
        f->outward[b] = outward_sign(embedding->solids[b].mesh);
    list_triangles(f);
}

void sn_facing_free(sn_facing *f)
{
    sn_free(f->first);
    sn_free(f->triangle);
    sn_free(f->outward);
    *f = (sn_facing){0};
}

size_t sn_facing_memory(const sn_facing *f)
{
    size_t n = f->embedding->n;
    return (n + 1) * sizeof *f->first + f->first[n] * sizeof *f->triangle;
}

/* ---- Areas ---- */

/* How the element of a vertex has stretched and turned the axes there; edges of cells count 1, for
 * only directions are asked for. */
static void axes_at(const sn_embedding *e, size_t i, const double *x, sn_vec axis[3])
{
    for (int d = 0; d < 3; d++) { /* along one axis an element is linear */
        double local[3], end[2][3];
        for (int side = 0; side < 2; side++) {
            memcpy(local, e->local[i], sizeof local);
            local[d] = side;
            sn_embedded_place(e->tree, e->element[i], e->child[i], local, x, end[side]);
        }
        axis[d] = sn_vec_sub(sn_vec_load(end[1]), sn_vec_load(end[0]));
    }
}

static sn_vec moved(const sn_vec axis[3], sn_vec edge)
{
    return sn_vec_add(sn_vec_scale(axis[0], edge.x),
                      sn_vec_add(sn_vec_scale(axis[1], edge.y), sn_vec_scale(axis[2], edge.z)));
}

double sn_facing_area(const sn_facing *f, size_t i, const double *x, sn_vec direction)
{
    const sn_embedding *e = f->embedding;
    int body = sn_embedding_body_of(e, e->vertex[i]);
    sn_vec axis[3];
    double area = 0;
    axes_at(e, i, x, axis);
    for (size_t k = f->first[i]; k < f->first[i + 1]; k++) {
        sn_vec p[3];
        corners_of(e->solids[body].mesh, f->triangle[k], p);
        sn_vec edge[2] = {sn_vec_sub(p[1], p[0]), sn_vec_sub(p[2], p[0])};
        sn_vec now = sn_vec_cross(moved(axis, edge[0]), moved(axis, edge[1]));
        double cosine = f->outward[body] * sn_vec_dot(sn_vec_unit(now), direction);
        area += sn_vec_length(sn_vec_cross(edge[0], edge[1])) / 6 * fmax(cosine, 0);
    }
    return area;
}
