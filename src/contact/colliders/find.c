/* Which vertices touch which colliders, and what springs and records come of it.
 *
 * Everything here happens in the frame of the collider, to and from which points are moved by a
 * rigid motion: distances and angles are the same there. */
#include "contact/colliders/colliders.h"

#include "base/array.h"
#include "base/timer.h"
#include "contact/colliders/clear.h"
#include "contact/colliders/frame.h"
#include "contact/colliders/parts.h"
#include "contact/friction/friction.h"

#include <omp.h>
#include <string.h>

/* In finest cells: how far outside vertices already get a spring, so that it is there when they
 * touch; and how far above the surface the way of a vertex that touched it begins. */
static const double MARGIN = 0.5, LIFT = 1e-4;

/* Of the area around a vertex, at least so much is held against a collider: the tip of a needle,
 * or what is turned away in a deep contact, faces it with nothing. */
static const double LEAST_FACING = 0.05;

/* Spring numbers: the collider above, the vertex below. */
enum { COLLIDER_SHIFT = 40 };

/* A vertex that touches a collider or may soon do so. */
typedef struct {
    sn_vec y;          /* the vertex */
    sn_vec at, normal; /* what it is pushed to */
    sn_vec anchor;
    double height; /* above the plane through `at`; negative: it is pushed */
    int32_t triangle;
    double area;   /* that its spring counts for */
    double radius; /* of what is round there, as in shapes.h */
    sn_vec axis;
} contact;

/* Where the nodes are, and this rank's vertices with them. */
typedef struct {
    const double *x;
    const double (*position)[3];
} places;

/* ---- Frames ---- */

/* The frame of a triangle: two of its edges from its first corner, and its normal. */
typedef struct {
    sn_vec origin, edge[2], normal;
} triangle_frame;

static triangle_frame frame_of(const sn_moving_collider *c, int32_t triangle, bool now)
{
    sn_vec corner[3];
    sn_collider_mesh_corners(c->surface, triangle, now, corner);
    return (triangle_frame){corner[0],
                            {sn_vec_sub(corner[1], corner[0]), sn_vec_sub(corner[2], corner[0])},
                            sn_vec_unit(sn_triangle_normal(corner))};
}

static sn_vec direction_from(const triangle_frame *f, sn_vec a)
{
    sn_vec in_plane = sn_vec_add(sn_vec_scale(f->edge[0], a.x), sn_vec_scale(f->edge[1], a.y));
    return sn_vec_add(in_plane, sn_vec_scale(f->normal, a.z));
}

/* A triangle without area keeps heights only. */
static sn_vec direction_in(const triangle_frame *f, sn_vec a)
{
    double e00 = sn_vec_dot(f->edge[0], f->edge[0]), e01 = sn_vec_dot(f->edge[0], f->edge[1]);
    double e11 = sn_vec_dot(f->edge[1], f->edge[1]), det = e00 * e11 - e01 * e01;
    double a0 = sn_vec_dot(a, f->edge[0]), a1 = sn_vec_dot(a, f->edge[1]);
    if (!(det > 0))
        return (sn_vec){0, 0, sn_vec_dot(a, f->normal)};
    return (sn_vec){(e11 * a0 - e01 * a1) / det, (e00 * a1 - e01 * a0) / det,
                    sn_vec_dot(a, f->normal)};
}

/* A contact's record in the collider's frame, now or before. */
static contact recalled(const sn_moving_collider *c, const sn_contact_record *r, bool now)
{
    contact k = {.at = sn_vec_load(r->at),
                 .normal = sn_vec_load(r->normal),
                 .anchor = sn_vec_load(r->anchor),
                 .triangle = (int32_t)r->triangle};
    if (r->triangle >= 0) {
        triangle_frame f = frame_of(c, k.triangle, now);
        k.at = sn_vec_add(f.origin, direction_from(&f, k.at));
        k.normal = sn_vec_unit(direction_from(&f, k.normal));
        k.anchor = sn_vec_add(f.origin, direction_from(&f, k.anchor));
    }
    return k;
}

static sn_contact_record remembered(const sn_moving_collider *c, contact k, int64_t vertex,
                                    size_t collider, double push)
{
    sn_contact_record r = {.vertex = vertex,
                           .collider = (int64_t)collider,
                           .triangle = -1,
                           .push = push,
                           .area = k.area};
    if (c->deforms) {
        triangle_frame f = frame_of(c, k.triangle, true);
        r.triangle = k.triangle;
        k.at = direction_in(&f, sn_vec_sub(k.at, f.origin));
        k.normal = direction_in(&f, k.normal);
        k.anchor = direction_in(&f, sn_vec_sub(k.anchor, f.origin));
    }
    sn_vec_store(k.at, r.at);
    sn_vec_store(k.normal, r.normal);
    sn_vec_store(k.anchor, r.anchor);
    return r;
}

/* ---- Touching ---- */

/* Nearest points farther outside than `radius` are not found; inside a mesh neither. */
static bool nearest(const sn_moving_collider *c, sn_vec y, double radius, sn_surface_point *found)
{
    if (c->surface)
        return sn_collider_mesh_nearest(c->surface, y, radius, found);
    *found = sn_shape_nearest(&c->settings->shape, y);
    return found->distance <= radius;
}

static bool enters(const sn_moving_collider *c, sn_vec from, sn_vec to, sn_surface_point *entry)
{
    bool found = c->surface ? sn_collider_mesh_enter(c->surface, from, to, entry)
                            : sn_shape_enter(&c->settings->shape, from, to, entry);
    return found && sn_vec_dot(sn_vec_sub(to, entry->at), entry->normal) < 0;
}

/* The way from `from` to y leads nowhere near the mesh. */
static bool passes_by(const sn_moving_collider *c, sn_vec from, sn_vec y, double radius)
{
    if (!c->surface)
        return false;
    sn_box box = sn_collider_mesh_bounds(c->surface);
    double low[3], high[3];
    sn_vec_store((sn_vec){fmin(from.x, y.x), fmin(from.y, y.y), fmin(from.z, y.z)}, low);
    sn_vec_store((sn_vec){fmax(from.x, y.x), fmax(from.y, y.y), fmax(from.z, y.z)}, high);
    for (int d = 0; d < 3; d++)
        if (low[d] > box.max[d] + radius || high[d] < box.min[d] - radius)
            return true;
    return false;
}

/* For a vertex that came in at `entry`: the surface on that side, nearest to where the vertex
 * would be if it had stayed on the plane that it went through. */
static sn_surface_point above(const sn_moving_collider *c, sn_vec y, const sn_surface_point *entry,
                              double margin)
{
    double height = sn_vec_dot(sn_vec_sub(y, entry->at), entry->normal);
    sn_vec lifted = sn_vec_sub(y, sn_vec_scale(entry->normal, height));
    sn_surface_point found;
    if (nearest(c, lifted, fmax(margin, -height), &found) &&
        sn_vec_dot(found.normal, entry->normal) > 0 &&
        sn_vec_dot(sn_vec_sub(y, found.at), found.normal) < 0)
        return found;
    return *entry;
}

static void take(contact *k, const sn_surface_point *surface)
{
    k->at = surface->at;
    k->normal = surface->normal;
    k->triangle = surface->triangle;
    k->radius = surface->radius;
    k->axis = surface->axis;
    k->height = sn_vec_dot(sn_vec_sub(k->y, k->at), k->normal);
}

/* Whether there is a contact of a vertex that was at `from` (its record, if it was in contact),
 * and is at y now. */
static bool touches(const sn_moving_collider *c, sn_vec from, sn_vec y,
                    const sn_contact_record *record, double cell, contact *k)
{
    double margin = MARGIN * cell;
    sn_surface_point near, entry;
    if (record) { /* it was inside: its way begins above, just outside of the plane it was held by
                   */
        contact then = recalled(c, record, false);
        double height = sn_vec_dot(sn_vec_sub(from, then.at), then.normal);
        from = sn_vec_add(from, sn_vec_scale(then.normal, LIFT * cell - height));
    }
    if (passes_by(c, from, y, margin))
        return false;
    double moved = sn_vec_length(sn_vec_sub(y, from));
    if (c->surface)
        moved += sn_collider_mesh_longest_way(c->surface);
    bool is_near = nearest(c, y, margin, &near);
    bool may_enter = !((is_near ? near.distance : margin) > moved);
    bool entered = may_enter && enters(c, from, y, &entry);
    if (!is_near && !entered)
        return false;
    *k = (contact){.y = y};
    bool same_side = !entered || (near.distance <= 0 && sn_vec_dot(near.normal, entry.normal) > 0);
    if (is_near && same_side) {
        take(k, &near);
    } else {
        sn_surface_point surface = above(c, y, &entry, margin);
        surface.radius = 0; /* a wall: around what is round it would be out on another side */
        take(k, &surface);
    }
    k->anchor = record ? recalled(c, record, true).anchor : entered ? entry.at : k->at;
    return true;
}

/* When nothing is known of where the vertex came from. */
static bool is_inside(const sn_moving_collider *c, sn_vec y, contact *k)
{
    sn_surface_point found;
    if (passes_by(c, y, y, 0) && !c->settings->shape.invert)
        return false;
    if (!nearest(c, y, INFINITY, &found) || found.distance > 0)
        return false;
    *k = (contact){.y = y};
    take(k, &found);
    k->anchor = k->at;
    return true;
}

/* ---- Vertices ---- */

static const sn_contact_record *record_of(const sn_colliders *c, size_t i, size_t collider)
{
    for (size_t r = c->first[i]; r < c->first[i + 1]; r++)
        if (c->memory->data[r].collider == (int64_t)collider)
            return &c->memory->data[r];
    return NULL;
}

static double cell_of(const sn_colliders *c, int body)
{
    return c->tree->bodies->body[body].cell;
}

static sn_contact_hardness hardness_of(const sn_colliders *c, size_t i, size_t collider)
{
    int body = sn_embedding_body_of(c->embedding, c->embedding->vertex[i]);
    return c->hardness[collider * (size_t)c->tree->bodies->n + (size_t)body];
}

/* Is there a contact of this rank's vertex i with a collider? Vertices without area are in no
 * triangle. */
static bool is_touching(const sn_colliders *c, const places *now, size_t i, size_t collider,
                        bool at_start, contact *k)
{
    const sn_moving_collider *one = &c->collider[collider];
    if (!(c->area[i] > 0) || !(hardness_of(c, i, collider).normal > 0))
        return false;
    sn_vec y = sn_collider_into_frame(&one->now, sn_vec_load(now->position[i]));
    if (at_start)
        return is_inside(one, y, k);
    sn_vec from = sn_collider_into_frame(&one->before, sn_vec_load(c->before[i]));
    double cell = cell_of(c, sn_embedding_body_of(c->embedding, c->embedding->vertex[i]));
    return touches(one, from, y, record_of(c, i, collider), cell, k);
}

static double area_of(const sn_colliders *c, const places *now, size_t i, size_t collider,
                      const contact *k)
{
    const sn_contact_record *record = record_of(c, i, collider);
    if (record && record->area > 0)
        return record->area;
    sn_vec towards = sn_vec_scale(sn_collider_turned(&c->collider[collider].now, k->normal), -1);
    return fmax(sn_facing_area(&c->facing, i, now->x, towards), LEAST_FACING * c->area[i]);
}

static bool contact_of(const sn_colliders *c, const places *now, size_t i, size_t collider,
                       bool at_start, contact *k)
{
    if (!is_touching(c, now, i, collider, at_start, k))
        return false;
    k->area = area_of(c, now, i, collider, k);
    return true;
}

static sn_friction_law law_of(const sn_colliders *c, size_t i, size_t collider, double area)
{
    sn_contact_hardness hardness = hardness_of(c, i, collider);
    double friction = c->collider[collider].settings->law.friction;
    return (sn_friction_law){area * hardness.normal, friction > 0 ? area * hardness.tangential : 0,
                             friction};
}

static sn_spring spring_of(const sn_colliders *c, size_t i, size_t collider, const contact *k)
{
    const sn_embedding *e = c->embedding;
    const sn_affine *pose = &c->collider[collider].now;
    sn_friction_law law = law_of(c, i, collider, k->area);
    int64_t vertex = e->vertex[i];
    int body = sn_embedding_body_of(e, vertex);
    sn_spring s = {.number = (uint64_t)collider << COLLIDER_SHIFT | (uint64_t)vertex,
                   .point = {{.body = body, .copy = e->copy ? e->copy[i] : 0}, {.body = -1}},
                   .normal_stiffness = law.stiffness,
                   .tangential_stiffness = law.tangential_stiffness,
                   .friction = law.friction,
                   .one_sided = true};
    memcpy(s.point[0].at, e->solids[body].mesh->vertex[vertex - e->body_first[body]],
           sizeof s.point[0].at);
    sn_vec target = sn_friction_target(k->at, k->normal, k->anchor);
    sn_vec_store(sn_collider_out_of_frame(pose, target), s.target);
    sn_vec_store(sn_vec_unit(sn_collider_turned(pose, k->normal)), s.normal);
    s.round.radius = k->radius;
    sn_vec_store(sn_collider_turned(pose, k->axis), s.round.axis);
    sn_vec_store(sn_collider_turned(pose, sn_vec_sub(target, k->at)), s.round.aside);
    return s;
}

/* ---- Runs of points ---- */

/* A run of points with the colliders that are not clear of it. */
typedef struct {
    size_t from, to;
    size_t *near, n_near;
} point_run;

static size_t runs_of(const sn_colliders *c)
{
    return (c->embedding->n + SN_CLEAR_RUN - 1) / SN_CLEAR_RUN;
}

static double largest_cell(const sn_colliders *c)
{
    double cell = 0;
    for (int b = 0; b < c->tree->bodies->n; b++)
        cell = fmax(cell, cell_of(c, b));
    return cell;
}

static void look_around(const sn_colliders *c, const places *now, size_t number, bool at_start,
                        point_run *run)
{
    run->from = number * SN_CLEAR_RUN;
    run->to =
        run->from + SN_CLEAR_RUN < c->embedding->n ? run->from + SN_CLEAR_RUN : c->embedding->n;
    run->n_near = 0;
    sn_clear_run around = sn_clear_run_of(c, now->position, run->from, run->to, at_start);
    double margin = MARGIN * largest_cell(c);
    for (size_t collider = 0; collider < c->n; collider++)
        if (!sn_collider_is_clear(&c->collider[collider], &around, margin))
            run->near[run->n_near++] = collider;
}

static void append_of_run(const sn_colliders *c, const places *now, const point_run *run,
                          sn_spring_list *springs)
{
    for (size_t i = run->from; i < run->to; i++)
        for (size_t k = 0; k < run->n_near; k++) {
            contact found;
            if (contact_of(c, now, i, run->near[k], false, &found))
                sn_push(springs, spring_of(c, i, run->near[k], &found));
        }
}

static void append_springs(const sn_colliders *c, const places *now, sn_spring_list *springs)
{
    sn_phase_begin("contact/colliders");
    int threads = omp_get_max_threads();
    sn_spring_list *of_thread = SN_NEW_ZERO(sn_spring_list, threads);
#pragma omp parallel num_threads(threads)
    {
        point_run run = {.near = SN_NEW(size_t, c->n)};
#pragma omp for schedule(static)
        for (size_t r = 0; r < runs_of(c); r++) {
            look_around(c, now, r, false, &run);
            append_of_run(c, now, &run, &of_thread[omp_get_thread_num()]);
        }
        sn_free(run.near);
    }
    for (int t = 0; t < threads; t++) {
        for (size_t s = 0; s < of_thread[t].count; s++)
            sn_push(springs, of_thread[t].data[s]);
        sn_vector_free(&of_thread[t]);
    }
    sn_free(of_thread);
    sn_phase_end("contact/colliders");
}

/* ---- What is remembered ---- */

typedef SN_VECTOR(sn_contact_record) record_list;

static void note_depth(const sn_colliders *c, const double position[3], size_t i, size_t collider,
                       double depth, sn_penetration *worst)
{
    int64_t vertex = c->embedding->vertex[i];
    int body = sn_embedding_body_of(c->embedding, vertex);
    sn_penetration here = {.depth = depth,
                           .cells = depth / cell_of(c, body),
                           .vertex = vertex,
                           .body = body,
                           .collider = (int32_t)collider};
    memcpy(here.position, position, sizeof here.position);
    double deepest = fmax(worst->deepest, depth);
    if (sn_penetration_is_worse(&here, worst))
        *worst = here;
    worst->deepest = deepest;
}

/* What is remembered by a thread: how many records each point has, the records, and the worst. */
typedef struct {
    size_t *first;
    record_list *records;
    sn_penetration *worst;
} memories;

static void remember_one(const sn_colliders *c, const places *now, size_t i, size_t collider,
                         contact *k, memories *m)
{
    sn_friction_law law = law_of(c, i, collider, k->area);
    k->anchor = sn_friction_drag(&law, k->y, k->at, k->normal, k->anchor);
    sn_push(m->records, remembered(&c->collider[collider], *k, c->embedding->vertex[i], collider,
                                   law.stiffness * -k->height));
    m->first[i + 1]++;
    note_depth(c, now->position[i], i, collider, -k->height, m->worst);
}

static void remember_of_run(const sn_colliders *c, const places *now, const point_run *run,
                            bool at_start, memories *m)
{
    for (size_t i = run->from; i < run->to; i++)
        for (size_t k = 0; k < run->n_near; k++) {
            contact found;
            if (contact_of(c, now, i, run->near[k], at_start, &found) && found.height < 0)
                remember_one(c, now, i, run->near[k], &found, m);
        }
}

/* Contacts that push are kept, with their anchors dragged; the others are forgotten. */
static void remember(sn_colliders *c, const places *now, bool at_start)
{
    size_t n = c->embedding->n, count = 0;
    int threads = omp_get_max_threads();
    record_list *of_thread = SN_NEW_ZERO(record_list, threads);
    sn_penetration *worst = SN_NEW(sn_penetration, threads);
    size_t *first = SN_NEW_ZERO(size_t, n + 1);
    for (int t = 0; t < threads; t++)
        worst[t] = (sn_penetration){.vertex = -1, .collider = -1, .body = -1};
#pragma omp parallel num_threads(threads)
    {
        int t = omp_get_thread_num();
        point_run run = {.near = SN_NEW(size_t, c->n)};
#pragma omp for schedule(static)
        for (size_t r = 0; r < runs_of(c); r++) {
            look_around(c, now, r, at_start, &run);
            remember_of_run(c, now, &run, at_start, &(memories){first, &of_thread[t], &worst[t]});
        }
        sn_free(run.near);
    }
    for (size_t i = 0; i < n; i++)
        first[i + 1] += first[i];
    sn_contact_record *record = SN_NEW(sn_contact_record, first[n]);
    c->worst = worst[0];
    for (int t = 0; t < threads; t++) {
        if (of_thread[t].count > 0)
            memcpy(record + count, of_thread[t].data, of_thread[t].count * sizeof *record);
        count += of_thread[t].count;
        sn_vector_free(&of_thread[t]);
        double deepest = fmax(c->worst.deepest, worst[t].deepest);
        if (sn_penetration_is_worse(&worst[t], &c->worst))
            c->worst = worst[t];
        c->worst.deepest = deepest;
    }
    sn_colliders_take_records(c, first, record);
    sn_free(worst);
    sn_free(of_thread);
}

static void accept(sn_colliders *c, const places *now, bool at_start)
{
    if (c->n == 0)
        return;
    sn_phase_begin("contact/colliders");
    remember(c, now, at_start);
    sn_colliders_accept(c, now->position);
    sn_phase_end("contact/colliders");
}

/* ---- What is asked ---- */

sn_status sn_colliders_find(sn_colliders *c, double time, const double *x,
                            const double (*position)[3], sn_spring_list *springs)
{
    SN_TRY(sn_colliders_move(c, time));
    append_springs(c, &(places){x, position}, springs);
    return SN_OK;
}

sn_status sn_colliders_commit(sn_colliders *c, double time, const double *x,
                              const double (*position)[3])
{
    SN_TRY(sn_colliders_move(c, time));
    accept(c, &(places){x, position}, false);
    return SN_OK;
}

sn_status sn_colliders_start(sn_colliders *c, double time, const double *x,
                             const double (*position)[3])
{
    SN_TRY(sn_colliders_move(c, time));
    accept(c, &(places){x, position}, true);
    return SN_OK;
}
