#include "contact/self/nearest.h"

#include "base/array.h"
#include "mesh/triangle.h"

#include <math.h>
#include <string.h>

/* How far targets may be, in finest cells: contacts that are deeper are given up anyway. */
static const double reach_in_cells = 2;

typedef struct {
    int64_t number; /* of the point */
    int64_t label;
    int64_t asked; /* which of the asking rank's regions' points */
    double at[3];
} lost_point;

typedef struct {
    int64_t asked;
    int64_t triangle; /* -1: none */
    double distance;
    double weight[3];
} found_place;

typedef SN_VECTOR(lost_point) lost_list;
typedef SN_VECTOR(int) rank_list;

typedef struct {
    const sn_self_target_triangle *triangle;
    const lost_point *point;
    found_place nearest;
} search;

static bool is_nearer(const found_place *a, const found_place *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->triangle < b->triangle;
}

static bool try_triangle(struct RTCPointQueryFunctionArguments *arguments)
{
    search *s = arguments->userPtr;
    const sn_self_target_triangle *a = &s->triangle[arguments->primID];
    if (a->label != s->point->label || sn_self_has_corner(&a->t, s->point->number))
        return false;
    sn_vec p = sn_vec_load(s->point->at);
    sn_weights weights = sn_triangle_nearest(a->corner, p);
    sn_vec way = sn_vec_sub(sn_triangle_point(a->corner, weights), p);
    found_place found = {.triangle = a->t.number, .distance = sn_vec_length(way)};
    if (is_nearer(&found, &s->nearest)) {
        memcpy(found.weight, weights.of, sizeof found.weight);
        found.asked = s->nearest.asked;
        s->nearest = found;
    }
    return false;
}

/* The nearest of this rank's candidates, if it is within reach. */
static found_place look_around(const sn_self_target_set *set, const lost_point *point, double reach)
{
    search s = {set->triangle, point, {.asked = point->asked, .triangle = -1, .distance = reach}};
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    struct RTCPointQuery query = {.x = (float)point->at[0],
                                  .y = (float)point->at[1],
                                  .z = (float)point->at[2],
                                  .radius = (float)(reach + set->slack)};
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

static sn_inbox send_lost(const sn_self_surface *s, const sn_mesh *shape,
                          const sn_self_target_set *set, const sn_self_regions *regions,
                          const sn_self_target *targets, double reach)
{
    MPI_Comm comm = s->embedding->tree->comm;
    lost_list lost = {0};
    rank_list destinations = {0};
    int size;
    MPI_Comm_size(comm, &size);
    for (size_t i = 0; i < regions->n; i++) {
        if (targets[i].triangle >= 0)
            continue;
        int64_t number = s->number[regions->point[i]];
        int body = sn_embedding_body_of(s->embedding, number);
        lost_point p = {.number = number, .label = regions->label[i], .asked = (int64_t)i};
        memcpy(p.at, sn_self_at(s, shape, body, number), sizeof p.at);
        sn_box box = box_around(p.at, reach);
        for (int rank = 0; rank < size; rank++)
            if (sn_self_box_meets_rank(&set->blocks, &box, rank)) {
                sn_push(&lost, p);
                sn_push(&destinations, rank);
            }
    }
    sn_inbox in =
        sn_records_send(comm, sizeof *lost.data, lost.data, destinations.data, lost.count);
    sn_vector_free(&lost);
    sn_vector_free(&destinations);
    return in;
}

static found_place *look_for_all(const sn_self_target_set *set, const sn_inbox *asked, double reach)
{
    found_place *found = SN_NEW(found_place, asked->n);
    const lost_point *lost = asked->data;
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < asked->n; i++)
        found[i] = look_around(set, &lost[i], reach);
    return found;
}

static void take_nearest(const sn_inbox *answers, sn_self_target *targets)
{
    const found_place *found = answers->data;
    for (size_t k = 0; k < answers->n; k++) {
        sn_self_target *target = &targets[found[k].asked];
        found_place before = {.triangle = target->triangle, .distance = target->distance};
        if (found[k].triangle < 0 || !is_nearer(&found[k], &before))
            continue;
        target->triangle = found[k].triangle;
        target->distance = found[k].distance;
        memcpy(target->weight, found[k].weight, sizeof target->weight);
    }
}

void sn_self_nearest_targets(const sn_self_surface *s, const sn_mesh *shape,
                             const sn_self_target_set *set, const sn_self_regions *regions,
                             sn_self_target *targets)
{
    MPI_Comm comm = s->embedding->tree->comm;
    double reach = reach_in_cells * s->cell;
    sn_inbox asked = send_lost(s, shape, set, regions, targets, reach);
    found_place *found = look_for_all(set, &asked, reach);
    sn_inbox answers = sn_records_reply(comm, &asked, sizeof *found, found);
    take_nearest(&answers, targets);
    sn_free(found);
    sn_inbox_free(&asked);
    sn_inbox_free(&answers);
}
