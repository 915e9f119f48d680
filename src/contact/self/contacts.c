#include "contact/self/contacts.h"

#include "base/array.h"
#include "base/digest.h"
#include "base/timer.h"
#include "contact/friction/friction.h"
#include "contact/self/anchors.h"
#include "contact/self/detect.h"
#include "contact/self/facets.h"
#include "mesh/triangle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In finest cells. */
static const double keep_distance = 0.5; /* of a point from its target, outside and aside */
static const double rest_depth = 1e-3;   /* deeper at rest: not a contact */
static const double no_distance = 1e-9;  /* too close to have a direction */
static const double most_free = 1;       /* deeper before the step and now: it came in elsewhere */
static const double far_away = 8;        /* before the step: depths below planes said nothing */

/* A way to the target that leads aside of the triangle's normal by less than this, in parts of the
 * depth, does not turn the push. (Pushes that turn with the way to a corner are springs along the
 * surface, of which Newton's matrices know nothing: boxes that hit head-on had their asymmetry, a
 * matter of rounding, multiplied by 20 in each search.) */
static const double little_aside = 0.1;

/* Normals with a smaller product are those of contacts with different sides of the other flesh. */
static const double same_side = 0.5;

/* A contact while springs are made of it. */
typedef struct {
    sn_self_record record;
    size_t point;
    int64_t triangle; /* that was hit; -1: the contact is kept, without a new hit */
    bool inside;      /* other flesh */
} contact;

typedef SN_VECTOR(contact) contact_list;

static MPI_Comm comm_of(const sn_self_contacts *c)
{
    return c->embedding->tree->comm;
}

static sn_vec place_of(const sn_self_contacts *c, const double (*position)[3], size_t point)
{
    return sn_vec_load(position[c->surface.place[point]]);
}

/* ---- Contacts ---- */

static int by_vertex(const void *left, const void *right)
{
    const sn_self_record *a = left, *b = right;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static const sn_self_record *find_record(const sn_self_record_list *list, int64_t vertex)
{
    sn_self_record wanted = {.vertex = vertex};
    return list->count == 0
               ? NULL
               : bsearch(&wanted, list->data, list->count, sizeof *list->data, by_vertex);
}

static bool is_same_contact(const sn_self_record *a, const sn_self_record *b)
{
    return a->body == b->body &&
           sn_vec_dot(sn_vec_load(a->normal), sn_vec_load(b->normal)) >= same_side;
}

static sn_vec normal_to_target(const sn_self_contacts *c, const sn_self_record *r)
{
    const sn_mesh *shape = c->deformed.body;
    sn_vec way = sn_self_way_out(&c->surface, shape, r);
    sn_vec outward = sn_self_target_normal(&c->surface, shape, r->triangle);
    double depth = sn_vec_dot(way, outward), aside = sn_vec_length(sn_vec_cross(way, outward));
    bool leads_aside = depth > 0 && aside > little_aside * depth;
    bool tells = sn_vec_length(way) > no_distance * c->surface.cell && leads_aside;
    return tells ? sn_vec_unit(way) : outward;
}

static double facing_area(const sn_self_contacts *c, size_t point, const sn_self_record *r)
{
    sn_self_facets facets = sn_self_facets_of(&c->surface, c->deformed.body, point);
    return sn_self_facing(&facets, sn_vec_load(r->normal));
}

/* What a contact that lasts keeps, and one that begins in this step is given. Contacts of older
 * checkpoints have no area. */
static void begin_or_go_on(const sn_self_contacts *c, size_t point, sn_self_record *r)
{
    const sn_self_record *before = find_record(c->memory, r->vertex);
    bool lasts = before && is_same_contact(before, r);
    r->area = lasts && before->area > 0 ? before->area : facing_area(c, point, r);
    r->free = lasts ? before->free : fmax(0, sn_self_depth(&c->surface, c->before.body, r));
    if (lasts)
        memcpy(r->anchor, before->anchor, sizeof r->anchor);
    else
        sn_self_touch_first(&c->surface, c->before.body, c->deformed.body, r);
}

/* Was the point already deep below the target before the step, without any contact? Then it did
 * not come in there. */
static bool came_in_elsewhere(const sn_self_contacts *c, const sn_self_record *r, double distance)
{
    double cell = c->surface.cell;
    double before = sn_vec_length(sn_self_way_out(&c->surface, c->before.body, r));
    return fmin(r->free, distance) > most_free * cell && before < far_away * cell;
}

/* False if there is no target, or none that counts. */
static bool is_hit(const sn_self_contacts *c, const sn_self_target *target, bool beside, contact *k)
{
    if (target->triangle < 0)
        return false;
    *k = (contact){.point = target->point, .triangle = target->triangle, .inside = true};
    k->record.vertex = c->surface.number[target->point];
    sn_self_aim(&c->surface, target->triangle, target->weight, &k->record);
    sn_vec_store(beside ? sn_self_target_normal(&c->surface, c->deformed.body, target->triangle)
                        : normal_to_target(c, &k->record),
                 k->record.normal);
    begin_or_go_on(c, target->point, &k->record);
    return !came_in_elsewhere(c, &k->record, target->distance);
}

/* Of a point that has left the other flesh, or slipped out at its side: the target is the place of
 * its triangle that is nearest now. A little aside of the triangle, and below its plane, it is
 * still pressed; else the normal leads from there to the point, so that nothing is. */
static void follow(const sn_self_contacts *c, sn_self_record *r)
{
    const sn_mesh *shape = c->deformed.body;
    sn_self_triangle t = sn_self_triangle_of(&c->surface, r->triangle);
    sn_vec corner[3], p = sn_self_point_in(&c->surface, shape, r->vertex);
    sn_self_corners(&c->surface, shape, &t, corner);
    sn_weights nearest = sn_triangle_nearest(corner, p);
    sn_vec way = sn_vec_sub(sn_triangle_point(corner, nearest), p);
    sn_vec outward = sn_self_target_normal(&c->surface, shape, r->triangle);
    sn_self_aim(&c->surface, r->triangle, nearest.of, r);
    if (sn_self_is_pressed(way, outward, c->surface.cell)) {
        sn_vec_store(outward, r->normal);
        return;
    }
    if (sn_vec_length(way) > no_distance * c->surface.cell)
        sn_vec_store(sn_vec_scale(sn_vec_unit(way), -1), r->normal);
    r->free = 0;
}

static contact kept_contact(const sn_self_contacts *c, const sn_self_record *known, bool inside)
{
    contact k = {*known, sn_self_find_point(&c->surface, known->vertex), -1, inside};
    if (!inside)
        follow(c, &k.record);
    return k;
}

/* New hits, and what was known of points that have none, by vertex. */
static contact_list merge(const sn_self_contacts *c, const sn_self_target *targets,
                          const sn_self_regions *regions)
{
    contact_list list = {0};
    const sn_self_record *known = c->current.data, *end = known + c->current.count;
    for (size_t i = 0; i < regions->n; i++) {
        if (c->overlaps_at_rest[targets[i].point])
            continue;
        int64_t vertex = c->surface.number[targets[i].point];
        for (; known < end && known->vertex < vertex; known++)
            sn_push(&list, kept_contact(c, known, false));
        bool is_known = known < end && known->vertex == vertex;
        contact hit;
        if (is_hit(c, &targets[i], regions->beside[i], &hit))
            sn_push(&list, hit);
        else if (is_known)
            sn_push(&list, kept_contact(c, known, !regions->beside[i]));
        known += is_known;
    }
    for (; known < end; known++)
        sn_push(&list, kept_contact(c, known, false));
    return list;
}

static bool has_friction(const sn_self_contacts *c)
{
    return c->settings->law.friction > 0;
}

/* Without friction nobody asks where anchors are. */
static sn_status see_anchors(const sn_self_contacts *c, const double *x,
                             const sn_self_record *records, size_t stride, size_t n,
                             double (*anchor)[3])
{
    return has_friction(c) ? sn_self_see_anchors(&c->locator, c->embedding->parts, x, records,
                                                 stride, n, anchor)
                           : SN_OK;
}

static bool is_worth_keeping(const sn_self_contacts *c, const sn_self_record *r)
{
    return sn_vec_length(sn_self_way_out(&c->surface, c->deformed.body, r)) <
           keep_distance * c->surface.cell;
}

/* Of a unit of area. */
static sn_friction_law law_of(const sn_self_contacts *c, const sn_self_record *r)
{
    int body = sn_embedding_body_of(c->embedding, r->vertex);
    const sn_contact_law *law = &c->settings->law;
    sn_contact_hardness hardness =
        sn_contact_hardness_between(law, c->body[body], c->body[r->body]);
    return (sn_friction_law){SN_SELF_SHARE * hardness.normal,
                             has_friction(c) ? SN_SELF_SHARE * hardness.tangential : 0,
                             law->friction};
}

/* What the spring pulls towards, as seen from its second point. */
static sn_vec offset_of(const sn_self_contacts *c, const sn_self_record *r, sn_vec anchor)
{
    sn_vec normal = sn_vec_load(r->normal);
    sn_vec along = sn_vec_scale(normal, -r->free);
    return has_friction(c) ? sn_vec_add(along, sn_friction_tangential(anchor, normal)) : along;
}

static sn_spring spring_of(const sn_self_contacts *c, const contact *k, sn_vec anchor)
{
    const sn_embedding *e = c->embedding;
    const sn_self_record *r = &k->record;
    int body = sn_embedding_body_of(e, r->vertex);
    sn_friction_law law = law_of(c, r);
    sn_spring spring = {
        .number = SN_SELF_SPRING_BIT | (uint64_t)r->vertex,
        .point = {{.body = body, .copy = c->surface.copy[r->vertex]}, {.body = (int32_t)r->body}},
        .on_triangle = true,
        .flat = sn_self_flat_place(&c->surface, r),
        .normal_stiffness = law.stiffness * r->area,
        .tangential_stiffness = law.tangential_stiffness * r->area,
        .friction = law.friction,
        .one_sided = true,
    };
    memcpy(spring.point[0].at, e->solids[body].mesh->vertex[r->vertex - e->body_first[body]],
           sizeof spring.point[0].at);
    memcpy(spring.point[1].at, r->at, sizeof r->at);
    memcpy(spring.normal, r->normal, sizeof r->normal);
    sn_vec_store(offset_of(c, r, anchor), spring.target);
    return spring;
}

/* Contacts become springs, and what there is to remember. */
static sn_status make_springs(sn_self_contacts *c, const double *x, contact_list *list,
                              sn_spring_list *springs)
{
    double(*anchor)[3] = SN_NEW_ZERO(double[3], list->count);
    const sn_self_record *records = list->count > 0 ? &list->data->record : NULL;
    sn_status status = see_anchors(c, x, records, sizeof *list->data, list->count, anchor);
    if (status == SN_OK) {
        c->current.count = 0;
        for (size_t i = 0; i < list->count; i++) {
            contact *k = &list->data[i];
            if (k->triangle < 0 && !is_worth_keeping(c, &k->record))
                continue;
            sn_push(&c->current, k->record);
            sn_push(springs, spring_of(c, k, sn_vec_load(anchor[i])));
        }
    }
    sn_free(anchor);
    return status;
}

/* ---- Searches ---- */

/* Collective. Are this rank's vertices, and those of all others, exactly where a surface has them?
 */
static bool is_at(const sn_self_contacts *c, const sn_deformed *surface,
                  const double (*position)[3])
{
    const double(*all)[3] = (const double(*)[3])surface->block.data;
    int same = 1;
#pragma omp parallel for schedule(static) reduction(min : same)
    for (size_t i = 0; i < c->embedding->n; i++)
        if (memcmp(all[c->embedding->vertex[i]], position[i], sizeof position[i]) != 0)
            same = 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm_of(c));
    return same;
}

static void forget_search(sn_self_contacts *c)
{
    sn_free(c->targets);
    sn_self_regions_free(&c->regions);
    c->targets = NULL;
    c->seen_before = false;
}

static sn_status search(sn_self_contacts *c, const double (*position)[3])
{
    bool known = c->seen_before && is_at(c, &c->before, position);
    c->ended_there = false;
    sn_deformed_update(&c->deformed, position);
    if (known)
        return SN_OK;
    forget_search(c);
    sn_status status =
        sn_self_detect(&c->surface, c->deformed.body, c->device, &c->regions, &c->targets);
    if (status != SN_OK)
        c->targets = NULL;
    return status;
}

void sn_self_contacts_look_back(sn_self_contacts *c, const double (*position)[3])
{
    c->ended_there = is_at(c, &c->deformed, position);
}

sn_status sn_self_contacts_find(sn_self_contacts *c, const double *x, const double (*position)[3],
                                sn_spring_list *springs)
{
    sn_phase_begin("contact/self");
    sn_status status = search(c, position);
    if (status == SN_OK) {
        contact_list list = merge(c, c->targets, &c->regions);
        status = make_springs(c, x, &list, springs);
        c->inside = c->regions.n_inside;
        sn_vector_free(&list);
    }
    sn_phase_end("contact/self");
    return status;
}

/* ---- The state ---- */

static void copy_records(sn_self_record_list *to, const sn_self_record *from, size_t n)
{
    sn_reserve(to, n);
    if (n > 0 && to->data != from)
        memcpy(to->data, from, n * sizeof *from);
    to->count = n;
}

void sn_self_contacts_reset(sn_self_contacts *c)
{
    copy_records(&c->current, c->memory->data, c->memory->count);
}

void sn_self_contacts_start(sn_self_contacts *c, const double (*position)[3])
{
    sn_deformed_update(&c->before, position);
    forget_search(c);
}

void sn_self_contacts_restore(sn_self_contacts *c, const sn_self_record *records, size_t n)
{
    copy_records(c->memory, records, n);
    if (n > 0)
        qsort(c->memory->data, n, sizeof *c->memory->data, by_vertex);
    sn_self_contacts_reset(c);
}

/* The anchor sticks, or is dragged towards the target until friction can hold it. */
static void drag(const sn_self_contacts *c, sn_self_record *r, double depth, double slid)
{
    sn_friction_law law = law_of(c, r);
    sn_vec anchor = sn_vec_load(r->anchor), at = sn_vec_load(r->at);
    sn_vec_store(sn_friction_drag_at_rest(&law, depth, slid, at, anchor), r->anchor);
}

typedef struct {
    double depth;
    int64_t vertex;
} deepest;

static deepest deepest_of_all(MPI_Comm comm, deepest mine)
{
    double depth = mine.depth;
    MPI_Allreduce(MPI_IN_PLACE, &depth, 1, MPI_DOUBLE, MPI_MAX, comm);
    int64_t vertex = mine.vertex >= 0 && mine.depth == depth ? mine.vertex : INT64_MAX;
    MPI_Allreduce(MPI_IN_PLACE, &vertex, 1, MPI_INT64_T, MPI_MIN, comm);
    return (deepest){depth, vertex == INT64_MAX ? -1 : vertex};
}

/* Known to the rank whose point it is. */
static void place_deepest(sn_self_contacts *c, const double (*position)[3], bool mine)
{
    sn_vec place = {-INFINITY, -INFINITY, -INFINITY};
    if (mine)
        place = place_of(c, position, sn_self_find_point(&c->surface, c->deepest_vertex));
    sn_vec_store(place, c->deepest_place);
    MPI_Allreduce(MPI_IN_PLACE, c->deepest_place, 3, MPI_DOUBLE, MPI_MAX, comm_of(c));
}

static deepest commit_records(sn_self_contacts *c, const double (*anchor)[3])
{
    deepest worst = {0, -1};
    c->memory->count = 0;
    for (size_t i = 0; i < c->current.count; i++) {
        sn_self_record r = c->current.data[i];
        double depth = sn_self_depth(&c->surface, c->deformed.body, &r), pressed = depth - r.free;
        if (depth > worst.depth)
            worst = (deepest){depth, r.vertex};
        if (!(pressed > 0))
            continue;
        sn_vec out = sn_self_way_out(&c->surface, c->deformed.body, &r);
        sn_vec slid =
            sn_friction_tangential(sn_vec_add(out, sn_vec_load(anchor[i])), sn_vec_load(r.normal));
        drag(c, &r, pressed, sn_vec_length(slid));
        r.push = law_of(c, &r).stiffness * r.area * pressed;
        sn_push(c->memory, r);
    }
    return worst;
}

/* The deformed surface is where the step ended, and the next one begins. */
static void keep_surface(sn_self_contacts *c)
{
    sn_deformed accepted = c->deformed;
    c->deformed = c->before;
    c->before = accepted;
}

sn_status sn_self_contacts_commit(sn_self_contacts *c, const double *x, const double (*position)[3])
{
    double(*anchor)[3] = SN_NEW_ZERO(double[3], c->current.count);
    sn_status status =
        see_anchors(c, x, c->current.data, sizeof *c->current.data, c->current.count, anchor);
    if (status == SN_OK) {
        sn_deformed_update(&c->deformed, position);
        deepest mine = commit_records(c, (const double(*)[3])anchor);
        deepest worst = deepest_of_all(comm_of(c), mine);
        c->deepest = worst.depth;
        c->deepest_vertex = worst.vertex;
        place_deepest(c, position, mine.vertex >= 0 && mine.vertex == worst.vertex);
        keep_surface(c);
        c->seen_before = c->ended_there;
        c->ended_there = false;
        sn_self_contacts_reset(c);
    }
    sn_free(anchor);
    return status;
}

size_t sn_self_contacts_seen_memory(const sn_self_contacts *c)
{
    const sn_self_regions *r = &c->regions;
    size_t each = sizeof *r->point + sizeof *r->label + sizeof *r->beside + sizeof *c->targets;
    return r->n * each + r->n_candidates * sizeof *r->candidate;
}

uint64_t sn_self_contacts_digest(const sn_self_contacts *c)
{
    uint64_t digest = 0;
    for (size_t i = 0; i < c->memory->count; i++) {
        const sn_self_record *r = &c->memory->data[i];
        sn_digest_add(&digest, (uint64_t)r->vertex, r, sizeof *r);
    }
    return sn_digest_allreduce(comm_of(c), digest);
}

/* ---- Making it ---- */

static sn_status look_at_rest(sn_self_contacts *c)
{
    int n = c->embedding->tree->bodies->n;
    sn_self_regions regions;
    sn_self_target *targets;
    sn_mesh *rest = SN_NEW(sn_mesh, n);
    for (int b = 0; b < n; b++)
        rest[b] = *c->embedding->solids[b].mesh;
    sn_status status = sn_self_detect(&c->surface, rest, c->device, &regions, &targets);
    sn_free(rest);
    if (status != SN_OK)
        return status;
    for (size_t i = 0; i < regions.n; i++)
        c->overlaps_at_rest[targets[i].point] = !regions.beside[i] && targets[i].triangle >= 0 &&
                                                targets[i].distance > rest_depth * c->surface.cell;
    sn_free(targets);
    sn_self_regions_free(&regions);
    return SN_OK;
}

static sn_status require_numbers(const sn_embedding *e)
{
    int64_t triangles = 0;
    for (int b = 0; b < e->tree->bodies->n; b++)
        triangles += e->solids[b].mesh->n_triangles;
    if (triangles <= SN_SELF_MOST_TRIANGLES)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "self_collision: bodies have %lld triangles, more than %lld",
                   (long long)triangles, (long long)SN_SELF_MOST_TRIANGLES);
}

sn_status sn_self_contacts_create(const sn_self_collision *settings, const double *young,
                                  const sn_embedding *embedding, sn_self_record_list *memory,
                                  sn_self_contacts *contacts)
{
    sn_self_contacts *c = contacts;
    SN_TRY(require_numbers(embedding));
    *c = (sn_self_contacts){
        .settings = settings, .embedding = embedding, .memory = memory, .deepest_vertex = -1};
    c->body = SN_NEW(sn_contact_flesh, embedding->tree->bodies->n);
    for (int b = 0; b < embedding->tree->bodies->n; b++)
        c->body[b] = (sn_contact_flesh){young[b], embedding->tree->bodies->body[b].cell};
    sn_deformed_create(embedding, &c->deformed);
    sn_deformed_create(embedding, &c->before);
    sn_self_surface_create(embedding, c->deformed.outward, &c->surface);
    c->locator = sn_locator_create(embedding->tree);
    c->overlaps_at_rest = SN_NEW_ZERO(bool, c->surface.n_points);
    sn_status status = sn_agree(comm_of(c), sn_embree_start(&c->device));
    if (status == SN_OK)
        status = look_at_rest(c);
    if (status != SN_OK)
        sn_self_contacts_free(c);
    return status;
}

void sn_self_contacts_free(sn_self_contacts *c)
{
    forget_search(c);
    sn_self_surface_free(&c->surface);
    sn_deformed_free(&c->deformed);
    sn_deformed_free(&c->before);
    sn_locator_free(&c->locator);
    sn_free(c->overlaps_at_rest);
    sn_free(c->body);
    sn_vector_free(&c->current);
    *c = (sn_self_contacts){0};
}
