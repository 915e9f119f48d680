#include "contact/self/nearest.h"

#include "base/array.h"
#include "contact/self/facets.h"
#include "contact/self/target_set.h"
#include "mesh/triangle.h"

#include <math.h>
#include <string.h>

/* How far targets may be, in finest cells: a frame with deeper contacts is given up anyway. */
static const double reach_in_cells = 4;

/* Triangles up to this much farther than the nearest so far are still tried, so that none at equal
 * distance is lost. */
static const double distance_slack = 1e-5;

/* Places whose distances differ by less than this, in finest cells, are equally near: rounding must
 * not choose between mirror images. */
static const double grain = 1e-9;

/* How far aside of a triangle, and how deep below its plane, a point outside may be that is still
 * pressed by it, in finest cells. */
static const double slack_aside = 0.05, slack_below = 0.25;

bool sn_self_is_pressed(sn_vec way, sn_vec normal, double cell)
{
    double depth = sn_vec_dot(way, normal);
    sn_vec aside = sn_vec_sub(way, sn_vec_scale(normal, depth));
    return depth > 0 && depth < slack_below * cell && sn_vec_length(aside) < slack_aside * cell;
}

typedef struct {
    int64_t number; /* of the point */
    int64_t label;
    int64_t asked; /* which of the asking rank's regions' points */
    int64_t beside;
    double at[3];
    sn_self_facets facets;
} inner_point;

typedef struct {
    int64_t asked;
    int64_t triangle; /* -1: none */
    double distance;
    double weight[3];
} found_place;

typedef SN_VECTOR(inner_point) point_list;
typedef SN_VECTOR(int) rank_list;

typedef struct {
    const sn_self_target_set *set;
    const inner_point *point;
    double cell;
    found_place nearest;
} search;

/* In whole grains, so that all ranks and all orders of looking agree. */
static double grains_of(const found_place *f, double cell)
{
    return floor(f->distance / (grain * cell));
}

static bool is_nearer(const found_place *a, const found_place *b, double cell)
{
    double left = grains_of(a, cell), right = grains_of(b, cell);
    return left != right ? left < right : a->triangle < b->triangle;
}

static bool may_be_target(const inner_point *p, const sn_self_target_triangle *a)
{
    return a->label == p->label && !sn_self_has_corner(&a->t, p->number) &&
           sn_self_faces(&p->facets, a->normal);
}

/* True if the search has become narrower. */
static bool try_triangle(struct RTCPointQueryFunctionArguments *arguments)
{
    search *s = arguments->userPtr;
    const sn_self_target_triangle *a = &s->set->triangle[arguments->primID];
    if (!may_be_target(s->point, a))
        return false;
    sn_vec p = sn_vec_load(s->point->at);
    sn_weights weights = sn_triangle_nearest(a->corner, p);
    sn_vec way = sn_vec_sub(sn_triangle_point(a->corner, weights), p);
    if (s->point->beside && !sn_self_is_pressed(way, a->normal, s->cell))
        return false;
    found_place found = {.triangle = a->t.number, .distance = sn_vec_length(way)};
    if (!is_nearer(&found, &s->nearest, s->cell))
        return false;
    memcpy(found.weight, weights.of, sizeof found.weight);
    found.asked = s->nearest.asked;
    s->nearest = found;
    float radius = (float)(found.distance * (1 + distance_slack) + 2 * s->set->slack);
    arguments->query->radius = fminf(arguments->query->radius, radius);
    return true;
}

/* The nearest of this rank's candidates, if it is within reach. */
static found_place look_around(const sn_self_target_set *set, const inner_point *point, double cell)
{
    double reach = reach_in_cells * cell;
    search s = {set, point, cell, {.asked = point->asked, .triangle = -1, .distance = reach}};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    struct RTCPointQuery query = {.x = (float)point->at[0],
                                  .y = (float)point->at[1],
                                  .z = (float)point->at[2],
                                  .radius = (float)(reach + 2 * set->slack)};
    rtcPointQuery(set->scene, &query, &context, try_triangle, &s);
    return s.nearest;
}

static sn_box box_around(const double at[3], double reach)
{
    sn_box box;
    for (int d = 0; d < 3; d++) {
        box.min[d] = at[d] - reach;
        box.max[d] = at[d] + reach;
    }
    return box;
}

static inner_point point_of(const sn_self_surface *s, const sn_mesh *shape,
                            const sn_self_regions *regions, size_t i)
{
    int64_t number = s->number[regions->point[i]];
    inner_point p = {.number = number,
                     .label = regions->label[i],
                     .asked = (int64_t)i,
                     .beside = regions->beside[i],
                     .facets = sn_self_facets_of(s, shape, regions->point[i])};
    int body = sn_embedding_body_of(s->embedding, number);
    memcpy(p.at, sn_self_at(s, shape, body, number), sizeof p.at);
    return p;
}

static sn_inbox send_points(const sn_self_surface *s, const sn_mesh *shape,
                            const sn_self_target_set *set, const sn_self_regions *regions,
                            double reach)
{
    MPI_Comm comm = s->embedding->tree->comm;
    point_list points = {0};
    rank_list destinations = {0};
    int size;
    MPI_Comm_size(comm, &size);
    for (size_t i = 0; i < regions->n; i++) {
        inner_point p = point_of(s, shape, regions, i);
        sn_box box = box_around(p.at, reach);
        for (int rank = 0; rank < size; rank++)
            if (sn_self_box_meets_rank(&set->blocks, &box, rank)) {
                sn_push(&points, p);
                sn_push(&destinations, rank);
            }
    }
    sn_inbox in =
        sn_records_send(comm, sizeof *points.data, points.data, destinations.data, points.count);
    sn_vector_free(&points);
    sn_vector_free(&destinations);
    return in;
}

static found_place *look_for_all(const sn_self_target_set *set, const sn_inbox *asked, double cell)
{
    found_place *found = SN_NEW(found_place, asked->n);
    const inner_point *points = asked->data;
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < asked->n; i++)
        found[i] = look_around(set, &points[i], cell);
    return found;
}

static sn_self_target *take_nearest(const sn_self_regions *regions, const sn_inbox *answers,
                                    double cell)
{
    sn_self_target *targets = SN_NEW(sn_self_target, regions->n);
    for (size_t i = 0; i < regions->n; i++)
        targets[i] = (sn_self_target){regions->point[i], -1, {0}, INFINITY};
    const found_place *found = answers->data;
    for (size_t k = 0; k < answers->n; k++) {
        sn_self_target *target = &targets[found[k].asked];
        found_place before = {.triangle = target->triangle, .distance = target->distance};
        if (found[k].triangle < 0 || !is_nearer(&found[k], &before, cell))
            continue;
        target->triangle = found[k].triangle;
        target->distance = found[k].distance;
        memcpy(target->weight, found[k].weight, sizeof target->weight);
    }
    return targets;
}

sn_status sn_self_find_targets(const sn_self_surface *s, const sn_mesh *shape, const sn_box *bounds,
                               RTCDevice device, const sn_self_regions *regions,
                               sn_self_target **targets)
{
    MPI_Comm comm = s->embedding->tree->comm;
    sn_self_target_set set;
    sn_self_target_set_create(s, shape, bounds, device, regions, &set);
    sn_inbox asked = send_points(s, shape, &set, regions, reach_in_cells * s->cell);
    found_place *found = look_for_all(&set, &asked, s->cell);
    sn_inbox answers = sn_records_reply(comm, &asked, sizeof *found, found);
    *targets = take_nearest(regions, &answers, s->cell);
    sn_self_target_set_free(&set);
    sn_free(found);
    sn_inbox_free(&asked);
    sn_inbox_free(&answers);
    sn_status status = sn_agree(comm, sn_self_embree_status());
    if (status != SN_OK)
        sn_free(*targets);
    return status;
}
