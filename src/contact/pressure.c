#include "contact/pressure.h"

#include "base/array.h"
#include "partition/records.h"

#include <stdlib.h>
#include <string.h>

static double over(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static void add(sn_press *sum, double force, double area)
{
    sum->force += force;
    sum->area += area;
}

/* With areas at rest, as below. */
static void press_by_colliders(const sn_colliders *c, sn_press *press)
{
    for (size_t i = 0; i < c->embedding->n; i++)
        for (size_t r = c->first[i]; r < c->first[i + 1]; r++)
            add(&press[i], c->memory->data[r].push, c->memory->data[r].area);
}

/* ---- Flesh ---- */

/* What a contact does to a point of the surface. */
typedef struct {
    int64_t point;
    int64_t source; /* the point that the contact belongs to: tells in which order to add */
    double force, area;
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

static push push_on(int64_t point, const sn_self_record *r, double weight)
{
    return (push){point, r->vertex, weight * r->push, weight * SN_SELF_SHARE * r->area};
}

static push_list pushes_of(const sn_self_contacts *c)
{
    push_list list = {0};
    for (size_t i = 0; i < c->memory->count; i++) {
        const sn_self_record *r = &c->memory->data[i];
        sn_self_triangle t = sn_self_triangle_of(&c->surface, r->triangle);
        sn_push(&list, push_on(r->vertex, r, 1));
        for (int k = 0; k < 3; k++)
            sn_push(&list, push_on(t.corner[k], r, r->weight[k]));
    }
    return list;
}

/* On each of this rank's points. */
static sn_press *press_on_points(const sn_self_contacts *c)
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
    sn_press *press = SN_NEW_ZERO(sn_press, c->surface.n_points);
    if (in.n > 0)
        qsort(arrived, in.n, sizeof *arrived, by_point_and_source);
    for (size_t i = 0; i < in.n; i++)
        add(&press[sn_self_find_point(&c->surface, arrived[i].point)], arrived[i].force,
            arrived[i].area);
    sn_inbox_free(&in);
    return press;
}

/* The point of this rank's vertex i, n_points if it has none. Its vertices lie in one element, so
 * they are of one rank, and in the order of their numbers. */
static size_t point_of(const sn_self_contacts *c, size_t i)
{
    const sn_embedding *e = c->embedding;
    int64_t vertex = e->vertex[i], base = e->body_first[sn_embedding_body_of(e, vertex)];
    return sn_self_find_point(&c->surface, base + c->surface.point[vertex]);
}

/* Around each point, at rest: that of all its vertices. */
static double *areas_of_points(const sn_self_contacts *c, const double *area)
{
    double *around = SN_NEW_ZERO(double, c->surface.n_points);
    for (size_t i = 0; i < c->embedding->n; i++) {
        size_t point = point_of(c, i);
        if (point < c->surface.n_points)
            around[point] += area[i];
    }
    return around;
}

/* Each of a point's vertices has its share of what presses on the point. */
static void press_by_flesh(const sn_self_contacts *c, const double *area, sn_press *press)
{
    sn_press *on_point = press_on_points(c);
    double *around = areas_of_points(c, area);
    for (size_t i = 0; i < c->embedding->n; i++) {
        size_t point = point_of(c, i);
        if (point == c->surface.n_points)
            continue;
        double share = over(area[i], around[point]);
        add(&press[i], share * on_point[point].force, share * on_point[point].area);
    }
    sn_free(around);
    sn_free(on_point);
}

/* ---- At the vertices of the render mesh ---- */

/* On its way from a point of the contact surface to whoever has the vertex. */
typedef struct {
    int64_t vertex;
    sn_press press;
} pressed_vertex;

typedef SN_VECTOR(pressed_vertex) pressed_list;

static int by_vertex(const void *left, const void *right)
{
    const pressed_vertex *a = left, *b = right;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static pressed_list pressed_vertices(const sn_contact_surface *s, const sn_press *on_point)
{
    pressed_list list = {0};
    for (size_t i = 0; i < s->embedding->n; i++) {
        int64_t vertex = sn_contact_vertex_of(s, s->embedding->vertex[i]);
        if (vertex >= 0 && on_point[i].force > 0)
            sn_push(&list, ((pressed_vertex){vertex, on_point[i]}));
    }
    return list;
}

static void take_vertices(const sn_contact_surface *s, const sn_press *on_point, sn_press *press)
{
    pressed_list list = pressed_vertices(s, on_point);
    sn_deal_by_vertex(s->render, sizeof *list.data, (void **)&list.data, &list.count);
    if (list.count > 0)
        qsort(list.data, list.count, sizeof *list.data, by_vertex);
    for (size_t i = 0; i < s->render->n; i++) {
        pressed_vertex wanted = {.vertex = s->render->vertex[i]};
        const pressed_vertex *found =
            list.count > 0 ? bsearch(&wanted, list.data, list.count, sizeof wanted, by_vertex)
                           : NULL;
        press[i] = found ? found->press : (sn_press){0, 0};
    }
    sn_vector_free(&list);
}

/* Areas become those of the surface as it is now. */
static void stretch(const sn_embedding *e, const sn_mesh *shape, sn_press *press)
{
    double *now = SN_NEW(double, e->n), *rest = SN_NEW(double, e->n);
    sn_embedding_areas(e, NULL, rest);
    sn_embedding_areas(e, shape, now);
    for (size_t i = 0; i < e->n; i++)
        press[i].area *= over(now[i], rest[i]);
    sn_free(now);
    sn_free(rest);
}

void sn_contacts_press(const sn_contacts *contacts, const sn_mesh *shape, sn_press *press)
{
    sn_press *on_point = SN_NEW_ZERO(sn_press, contacts->embedding->n);
    press_by_colliders(&contacts->colliders, on_point);
    if (contacts->has_flesh)
        press_by_flesh(&contacts->flesh, contacts->colliders.area, on_point);
    if (contacts->surface.is_refined)
        take_vertices(&contacts->surface, on_point, press);
    else if (contacts->embedding->n > 0)
        memcpy(press, on_point, contacts->embedding->n * sizeof *press);
    stretch(contacts->surface.render, shape, press);
    sn_free(on_point);
}
