#include "contact/contacts.h"

#include "base/array.h"
#include "base/timer.h"
#include "field/field.h"

#include <math.h>

static void forget_end(sn_contacts *c)
{
    sn_free(c->at_end);
    c->at_end = NULL;
}

/* Where x, whose ghosts are filled, puts this rank's vertices; the caller frees it. */
static double (*place_vertices(sn_contacts *c, const double *x))[3]
{
    forget_end(c);
    double(*position)[3] = SN_NEW(double[3], c->embedding->n);
    sn_embedding_evaluate(c->embedding, x, position);
    return position;
}

static sn_status find(void *context, double time, const double *x, sn_spring_list *springs)
{
    sn_contacts *c = context;
    sn_phase_begin("contact/find");
    double(*position)[3] = place_vertices(c, x);
    const double(*at)[3] = (const double(*)[3])position;
    sn_status status = sn_colliders_find(&c->colliders, time, x, at, springs);
    if (status == SN_OK && c->has_flesh)
        status = sn_self_contacts_find(&c->flesh, x, at, springs);
    sn_free(position);
    sn_phase_end("contact/find");
    return status;
}

static sn_status check_way(void *context, const double *from, const double *x, bool *passed)
{
    (void)from;
    sn_contacts *c = context;
    double(*position)[3] = place_vertices(c, x);
    sn_status status = sn_self_contacts_check_way(&c->flesh, (const double(*)[3])position, passed);
    if (status == SN_OK && !*passed)
        c->at_end = position;
    else
        sn_free(position);
    return status;
}

static sn_status commit(void *context, double time, const double *x)
{
    sn_contacts *c = context;
    sn_phase_begin("contact/commit");
    double(*position)[3] = c->at_end ? c->at_end : place_vertices(c, x);
    const double(*at)[3] = (const double(*)[3])position;
    c->at_end = NULL;
    sn_status status = sn_colliders_commit(&c->colliders, time, x, at);
    if (status == SN_OK && c->has_flesh)
        status = sn_self_contacts_commit(&c->flesh, x, at);
    sn_free(position);
    sn_phase_end("contact/commit");
    return status;
}

static void reset(void *context, double time)
{
    (void)time;
    sn_contacts *c = context;
    forget_end(c);
    sn_self_contacts_reset(&c->flesh);
}

/* What the search for flesh in flesh has in mind is of the step before. */
static sn_status begin(void *context, double time, double *x)
{
    (void)x;
    reset(context, time);
    return SN_OK;
}

sn_source sn_contacts_source(sn_contacts *contacts)
{
    bool flesh = contacts->has_flesh;
    return (sn_source){.context = contacts,
                       .begin = flesh ? begin : NULL,
                       .find = find,
                       .check_way = flesh ? check_way : NULL,
                       .commit = commit,
                       .reset = flesh ? reset : NULL};
}

/* Whoever can touch nothing needs no points but its vertices. */
static sn_status create_surface(const sn_contact_parts *parts, sn_contacts *c)
{
    if (parts->n_colliders == 0 && !parts->flesh->enabled) {
        c->surface = (sn_contact_surface){.render = c->embedding, .embedding = c->embedding};
        return SN_OK;
    }
    SN_TRY(sn_contact_surface_create(c->embedding, &c->surface));
    c->embedding = c->surface.embedding;
    return SN_OK;
}

static sn_status create_colliders(const sn_contact_parts *parts, sn_contacts *c)
{
    sn_motion_source source = {.origin = parts->origin, .frames = parts->frames};
    sn_status status =
        sn_colliders_create(parts->colliders, parts->n_colliders, &source, parts->young, c->tree,
                            c->embedding, &c->memory->colliders, &c->colliders);
    sn_motion_source_free(&source);
    return status;
}

sn_status sn_contacts_create(const sn_contact_parts *parts, sn_octree *tree,
                             const sn_embedding *embedding, sn_contact_memory *memory,
                             sn_contacts *contacts)
{
    sn_contacts *c = contacts;
    *c = (sn_contacts){
        .tree = tree, .embedding = embedding, .memory = memory, .has_flesh = parts->flesh->enabled};
    SN_TRY(create_surface(parts, c));
    sn_status status = create_colliders(parts, c);
    if (status == SN_OK && c->has_flesh) {
        status = sn_self_contacts_create(parts->flesh, parts->young, c->embedding, &memory->flesh,
                                         &c->flesh);
        if (status != SN_OK)
            sn_colliders_free(&c->colliders);
        c->flesh.interrupt = parts->interrupt;
    }
    if (status != SN_OK) {
        sn_contact_surface_free(&c->surface);
        *c = (sn_contacts){0};
        return status;
    }
    sn_contact_memory_number(memory, c->embedding);
    return SN_OK;
}

sn_status sn_contacts_start(sn_contacts *contacts, double time, double *x)
{
    if (!sn_contacts_possible(contacts))
        return SN_OK;
    sn_field_fill_ghosts(contacts->tree, x);
    double(*position)[3] = place_vertices(contacts, x);
    const double(*at)[3] = (const double(*)[3])position;
    sn_status status = SN_OK;
    if (contacts->has_flesh)
        sn_self_contacts_start(&contacts->flesh, at);
    if (contacts->colliders.n > 0)
        status = sn_colliders_start(&contacts->colliders, time, x, at);
    sn_free(position);
    return status;
}

/* ---- Records from elsewhere ---- */

static bool all_finite(const double *value, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

static bool is_below(int64_t index, int64_t end)
{
    return index >= 0 && index < end;
}

/* On a mesh that changes its shape places are in the frame of a triangle. */
static bool is_sound(const sn_contacts *c, const sn_contact_record *r)
{
    if (!is_below(r->vertex, sn_embedding_vertices(c->embedding)) ||
        !is_below(r->collider, (int64_t)c->colliders.n))
        return false;
    const sn_moving_collider *collider = &c->colliders.collider[r->collider];
    bool placed =
        collider->deforms ? is_below(r->triangle, collider->rest->n_triangles) : r->triangle == -1;
    return placed && all_finite(r->at, 3) && all_finite(r->normal, 3) && all_finite(r->anchor, 3) &&
           isfinite(r->push) && r->area >= 0 && isfinite(r->area);
}

static bool is_sound_flesh(const sn_contacts *c, const sn_self_record *r)
{
    if (!is_below(r->vertex, sn_embedding_vertices(c->embedding)))
        return false;
    if (!c->has_flesh)
        return true; /* nobody asks for it */
    const sn_self_surface *s = &c->flesh.surface;
    int bodies = c->tree->bodies->n;
    return is_below(r->triangle, s->triangle_first[bodies]) &&
           r->body == sn_self_triangle_of(s, r->triangle).body && all_finite(r->weight, 3) &&
           all_finite(r->at, 3) && all_finite(r->normal, 3) && all_finite(r->anchor, 3) &&
           isfinite(r->push) && r->area >= 0 && isfinite(r->area) && isfinite(r->free);
}

static sn_status refuse(const char *what, int64_t vertex)
{
    return SN_FAIL(SN_MACHINE, "a contact of point %lld is damaged: %s", (long long)vertex, what);
}

static sn_status check_records(const sn_contacts *c)
{
    const sn_contact_memory *m = c->memory;
    for (size_t i = 0; i < m->colliders.count; i++)
        if (!is_sound(c, &m->colliders.data[i]))
            return refuse("no collider of the scene can have it", m->colliders.data[i].vertex);
    for (size_t i = 0; i < m->flesh.count; i++)
        if (!is_sound_flesh(c, &m->flesh.data[i]))
            return refuse("no flesh of the scene can have it", m->flesh.data[i].vertex);
    return SN_OK;
}

/* After they were dealt: vertices at one place are one point. */
static sn_status check_points(const sn_contacts *c)
{
    const sn_self_record_list *flesh = &c->memory->flesh;
    for (size_t i = 0; i < flesh->count && c->has_flesh; i++) {
        int64_t vertex = flesh->data[i].vertex;
        if (sn_self_find_point(&c->flesh.surface, vertex) == c->flesh.surface.n_points)
            return refuse("it is no point of the flesh's surface", vertex);
    }
    return SN_OK;
}

static sn_status deal_records(sn_contacts *c)
{
    SN_TRY(sn_agree(c->tree->comm, check_records(c)));
    sn_contact_memory_deal(c->memory, c->embedding);
    return sn_agree(c->tree->comm, check_points(c));
}

sn_status sn_contacts_go_on(sn_contacts *contacts, double time, double *x)
{
    sn_contact_memory *memory = contacts->memory;
    SN_TRY(deal_records(contacts));
    sn_contact_record_list before = memory->colliders;
    memory->colliders = (sn_contact_record_list){0};
    sn_status status = sn_contacts_start(contacts, time, x);
    sn_colliders_set_records(&contacts->colliders, before.data, before.count);
    sn_vector_free(&before);
    if (contacts->has_flesh)
        sn_self_contacts_restore(&contacts->flesh, memory->flesh.data, memory->flesh.count);
    return status;
}

void sn_contacts_free(sn_contacts *contacts)
{
    if (!contacts->tree) /* was never created */
        return;
    forget_end(contacts);
    sn_colliders_free(&contacts->colliders);
    if (contacts->has_flesh)
        sn_self_contacts_free(&contacts->flesh);
    sn_contact_surface_free(&contacts->surface);
    *contacts = (sn_contacts){0};
}

bool sn_contacts_possible(const sn_contacts *contacts)
{
    return contacts->colliders.n > 0 || contacts->has_flesh;
}

sn_contacts_bytes sn_contacts_bytes_of(const sn_contacts *contacts)
{
    const sn_colliders *c = &contacts->colliders;
    const sn_self_contacts *flesh = &contacts->flesh;
    size_t each = sizeof *c->area + sizeof *c->before + sizeof *c->first;
    sn_contacts_bytes m = {.surface = c->embedding->n * each + sn_facing_memory(&c->facing) +
                                      sn_contact_surface_memory(&contacts->surface)};
    for (size_t i = 0; i < c->n; i++)
        if (c->collider[i].surface)
            m.colliders += sn_collider_mesh_memory(c->collider[i].surface);
    if (contacts->has_flesh) {
        m.surface += sn_self_surface_memory(&flesh->surface) + sn_self_contacts_seen_memory(flesh) +
                     flesh->surface.n_points * sizeof *flesh->overlaps_at_rest;
        m.elements = sn_locator_memory(&flesh->locator);
    }
    return m;
}

double sn_contacts_deepest(const sn_contacts *contacts)
{
    double deepest = sn_colliders_worst(&contacts->colliders).deepest;
    return contacts->has_flesh ? fmax(deepest, contacts->flesh.deepest) : deepest;
}

double sn_contacts_deepest_cells(const sn_contacts *contacts)
{
    double cells = sn_colliders_worst(&contacts->colliders).cells;
    const sn_self_contacts *flesh = &contacts->flesh;
    return contacts->has_flesh ? fmax(cells, flesh->deepest / flesh->surface.cell) : cells;
}

static sn_status require_flesh_apart(const sn_contacts *c)
{
    double cell = c->flesh.surface.cell;
    const double *place = c->flesh.deepest_place;
    if (c->flesh.deepest <= SN_MOST_PENETRATED_CELLS * cell)
        return SN_OK;
    int body = sn_embedding_body_of(c->embedding, c->flesh.deepest_vertex);
    int64_t number = c->flesh.deepest_vertex - c->embedding->body_first[body] + 1;
    bool is_vertex = sn_contact_vertex_of(&c->surface, c->flesh.deepest_vertex) >= 0;
    return SN_FAIL(SN_INACCURATE,
                   "contact not resolved: %s %lld of body '%s' is %g deep in other flesh at (%g, "
                   "%g, %g), %.1f finest cells",
                   is_vertex ? "vertex" : "point", (long long)number,
                   c->tree->bodies->body[body].name, c->flesh.deepest, place[0], place[1], place[2],
                   c->flesh.deepest / cell);
}

sn_status sn_contacts_require_resolved(const sn_contacts *contacts)
{
    sn_penetration worst = sn_colliders_worst(&contacts->colliders);
    if (worst.cells > SN_MOST_PENETRATED_CELLS)
        return SN_FAIL(SN_INACCURATE,
                       "contact not resolved: body '%s' is %g deep in collider '%s' at (%g, %g, "
                       "%g), %.1f finest cells",
                       contacts->tree->bodies->body[worst.body].name, worst.depth,
                       contacts->colliders.collider[worst.collider].settings->name,
                       worst.position[0], worst.position[1], worst.position[2], worst.cells);
    return contacts->has_flesh ? require_flesh_apart(contacts) : SN_OK;
}
