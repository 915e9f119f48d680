#include "contact/pressure.h"

#include "base/array.h"
#include "partition/records.h"

#include <stdlib.h>

static double over(double force, double area)
{
    return area > 0 ? force / area : 0;
}

static void press_by_colliders(const sn_colliders *c, const double *area, double *pressure)
{
    for (size_t i = 0; i < c->embedding->n; i++) {
        double force = 0;
        for (size_t r = c->first[i]; r < c->first[i + 1]; r++)
            force += c->memory->data[r].push;
        pressure[i] = over(force, area[i]);
    }
}

/* ---- Flesh ---- */

/* What a contact does to a point of the surface. */
typedef struct {
    int64_t point;
    int64_t source; /* the point that the contact belongs to: tells in which order to add */
    double force;
} push;

typedef SN_VECTOR(push) push_list;

static int by_point_and_source(const void *left, const void *right)
{
    const push *a = left, *b = right;
    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    return (a->force > b->force) - (a->force < b->force);
}

static push_list pushes_of(const sn_self_contacts *c)
{
    push_list list = {0};
    for (size_t i = 0; i < c->memory->count; i++) {
        const sn_self_record *r = &c->memory->data[i];
        sn_self_triangle t = sn_self_triangle_of(&c->surface, r->triangle);
        sn_push(&list, ((push){r->vertex, r->vertex, r->push}));
        for (int k = 0; k < 3; k++)
            sn_push(&list, ((push){t.corner[k], r->vertex, r->weight[k] * r->push}));
    }
    return list;
}

/* Of each of this rank's points. */
static double *forces_on_points(const sn_self_contacts *c)
{
    push_list list = pushes_of(c);
    int *destination = SN_NEW(int, list.count);
    for (size_t i = 0; i < list.count; i++)
        destination[i] = c->surface.owner[list.data[i].point];
    sn_inbox in = sn_records_send(c->embedding->tree->comm, sizeof *list.data, list.data,
                                  destination, list.count);
    sn_free(destination);
    sn_vector_free(&list);
    push *arrived = in.data;
    double *force = SN_NEW_ZERO(double, c->surface.n_points);
    if (in.n > 0)
        qsort(arrived, in.n, sizeof *arrived, by_point_and_source);
    for (size_t i = 0; i < in.n; i++)
        force[sn_self_find_point(&c->surface, arrived[i].point)] += arrived[i].force;
    sn_inbox_free(&in);
    return force;
}

/* The point of this rank's vertex i, n_points if it has none. Its vertices lie in one element, so
 * they are of one rank, and in the order of their numbers. */
static size_t point_of(const sn_self_contacts *c, size_t i)
{
    const sn_embedding *e = c->embedding;
    int64_t vertex = e->vertex[i], base = e->body_first[sn_embedding_body_of(e, vertex)];
    return sn_self_find_point(&c->surface, base + c->surface.point[vertex]);
}

static void press_by_flesh(const sn_self_contacts *c, const double *area, double *pressure)
{
    size_t n = c->embedding->n, n_points = c->surface.n_points;
    double *force = forces_on_points(c), *around = SN_NEW_ZERO(double, n_points);
    size_t *point = SN_NEW(size_t, n);
    for (size_t i = 0; i < n; i++) {
        point[i] = point_of(c, i);
        if (point[i] < n_points)
            around[point[i]] += area[i];
    }
    for (size_t i = 0; i < n; i++)
        if (point[i] < n_points)
            pressure[i] += over(force[point[i]], around[point[i]]);
    sn_free(point);
    sn_free(around);
    sn_free(force);
}

void sn_contacts_pressure(const sn_contacts *contacts, const sn_mesh *shape, double *pressure)
{
    const sn_embedding *e = contacts->embedding;
    double *area = SN_NEW(double, e->n);
    sn_embedding_areas(e, shape, area);
    press_by_colliders(&contacts->colliders, area, pressure);
    if (contacts->has_flesh)
        press_by_flesh(&contacts->flesh, area, pressure);
    sn_free(area);
}
