#include "contact/self/rays.h"

#include "base/array.h"
#include "contact/self/nearest.h"
#include "contact/self/target_set.h"

#include <math.h>
#include <string.h>

/* Later hits up to this much farther are still tried, so that none at equal distance is lost. */
static const float distance_slack = 1e-5f;

enum { ALONG_NORMAL, AGAINST_NORMAL, WAYS };

typedef struct {
    int64_t number; /* of the point */
    int64_t label;
    int64_t asked; /* which of the asking rank's regions' points */
    double at[3], direction[3];
} ray;

typedef struct {
    int64_t triangle; /* -1: none */
    double distance;
    double weight[3];
    int64_t leaves; /* the other flesh: the triangle is met from behind */
} hit;

typedef struct {
    int64_t asked;
    hit of[WAYS];
} reply;

typedef SN_VECTOR(ray) ray_list;
typedef SN_VECTOR(int) rank_list;

typedef struct {
    struct RTCIntersectContext embree; /* first: Embree hands back a pointer to it */
    const ray *ray;
    int way;
    double slack;
    hit nearest;
} ray_context;

static const hit no_hit = {.triangle = -1, .distance = INFINITY};

static bool is_nearer(const hit *a, const hit *b)
{
    return a->distance != b->distance ? a->distance < b->distance : a->triangle < b->triangle;
}

/* ---- One ray, one triangle ---- */

/* On which side the line passes an edge: for both triangles at the edge the same number but for
 * the sign, so that no line passes between them. */
static double beside(const sn_self_target_triangle *a, const sn_vec p[3], sn_vec direction,
                     int from, int to)
{
    if (a->t.corner[from] > a->t.corner[to])
        return -beside(a, p, direction, to, from);
    return sn_vec_dot(direction, sn_vec_cross(p[from], p[to]));
}

/* Where the line of a ray meets a triangle; distances behind its start are negative. */
static bool meet(const sn_self_target_triangle *a, const ray *r, hit *found)
{
    sn_vec p[3], start = sn_vec_load(r->at), direction = sn_vec_load(r->direction);
    double weight[3], sum = 0, distance = 0;
    for (int c = 0; c < 3; c++)
        p[c] = sn_vec_sub(a->corner[c], start);
    bool all_left = true, all_right = true;
    for (int c = 0; c < 3; c++) {
        weight[c] = beside(a, p, direction, (c + 1) % 3, (c + 2) % 3);
        all_left = all_left && weight[c] >= 0;
        all_right = all_right && weight[c] <= 0;
        sum += weight[c];
    }
    if (!(all_left || all_right) || sum == 0)
        return false;
    *found = (hit){.triangle = a->t.number, .leaves = sum * a->outward > 0};
    for (int c = 0; c < 3; c++) {
        found->weight[c] = weight[c] / sum;
        distance += found->weight[c] * sn_vec_dot(p[c], direction);
    }
    found->distance = distance;
    return isfinite(distance);
}

static void on_ray(const struct RTCIntersectFunctionNArguments *arguments)
{
    if (!arguments->valid[0])
        return;
    ray_context *context = (ray_context *)arguments->context;
    const sn_self_target_triangle *a =
        (const sn_self_target_triangle *)arguments->geometryUserPtr + arguments->primID;
    struct RTCRay *embree = &((struct RTCRayHit *)arguments->rayhit)->ray;
    const ray *r = context->ray;
    hit found;
    if (a->label != r->label || sn_self_has_corner(&a->t, r->number) || !meet(a, r, &found))
        return;
    if ((found.distance < 0) != (context->way == AGAINST_NORMAL))
        return;
    if (context->way == AGAINST_NORMAL) {
        found.distance = -found.distance;
        found.leaves = !found.leaves;
    }
    if (!is_nearer(&found, &context->nearest))
        return;
    context->nearest = found;
    float far = (float)(found.distance * (1 + (double)distance_slack) + context->slack);
    embree->tfar = fminf(embree->tfar, far);
}

static hit shoot(RTCScene scene, const ray *r, int way, double slack)
{
    struct RTCRayHit embree;
    float sign = way == AGAINST_NORMAL ? -1.0f : 1.0f;
    memset(&embree, 0, sizeof embree);
    embree.ray.org_x = (float)r->at[0];
    embree.ray.org_y = (float)r->at[1];
    embree.ray.org_z = (float)r->at[2];
    embree.ray.dir_x = sign * (float)r->direction[0];
    embree.ray.dir_y = sign * (float)r->direction[1];
    embree.ray.dir_z = sign * (float)r->direction[2];
    embree.ray.tfar = INFINITY;
    embree.ray.mask = UINT32_MAX;
    embree.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    ray_context context = {.ray = r, .way = way, .slack = slack, .nearest = no_hit};
    rtcInitIntersectContext(&context.embree);
    rtcIntersect1(scene, &context.embree, &embree);
    return context.nearest;
}

static reply *shoot_all(const sn_self_target_set *set, const sn_inbox *asked)
{
    reply *replies = SN_NEW(reply, asked->n);
    const ray *rays = asked->data;
#pragma omp parallel for schedule(dynamic, 64)
    for (size_t i = 0; i < asked->n; i++) {
        replies[i].asked = rays[i].asked;
        for (int way = 0; way < WAYS; way++)
            replies[i].of[way] = shoot(set->scene, &rays[i], way, set->slack);
    }
    return replies;
}

/* ---- All rays ---- */

static sn_inbox send_rays(const sn_self_surface *s, const sn_mesh *shape,
                          const sn_self_regions *regions, const sn_self_blocks *blocks)
{
    MPI_Comm comm = s->embedding->tree->comm;
    ray_list rays = {0};
    rank_list destinations = {0};
    int size;
    MPI_Comm_size(comm, &size);
    for (size_t i = 0; i < regions->n; i++) {
        size_t p = regions->point[i];
        int body = sn_embedding_body_of(s->embedding, s->number[p]);
        ray r = {.number = s->number[p], .label = regions->label[i], .asked = (int64_t)i};
        memcpy(r.at, sn_self_at(s, shape, body, s->number[p]), sizeof r.at);
        sn_vec normal = sn_self_normal(s, shape, p);
        sn_vec_store(normal, r.direction);
        if (sn_vec_dot(normal, normal) == 0)
            continue;
        for (int rank = 0; rank < size; rank++)
            if (sn_self_line_meets_rank(blocks, r.at, r.direction, rank)) {
                sn_push(&rays, r);
                sn_push(&destinations, rank);
            }
    }
    sn_inbox in = sn_records_send(comm, sizeof(ray), rays.data, destinations.data, rays.count);
    sn_vector_free(&rays);
    sn_vector_free(&destinations);
    return in;
}

static sn_self_target choose(size_t point, const hit of[WAYS])
{
    const hit *along = &of[ALONG_NORMAL], *against = &of[AGAINST_NORMAL], *best = &no_hit;
    if (against->triangle >= 0 && against->leaves)
        best = against;
    if (along->triangle >= 0 && along->leaves && along->distance < best->distance)
        best = along;
    sn_self_target target = {point, best->triangle, {0}, best->distance};
    memcpy(target.weight, best->weight, sizeof target.weight);
    return target;
}

static sn_self_target *choose_all(const sn_self_regions *regions, const sn_inbox *replies)
{
    hit(*nearest)[WAYS] = SN_NEW(hit[WAYS], regions->n);
    sn_self_target *targets = SN_NEW(sn_self_target, regions->n);
    const reply *r = replies->data;
    for (size_t i = 0; i < regions->n; i++)
        for (int way = 0; way < WAYS; way++)
            nearest[i][way] = no_hit;
    for (size_t k = 0; k < replies->n; k++)
        for (int way = 0; way < WAYS; way++)
            if (r[k].of[way].triangle >= 0 && is_nearer(&r[k].of[way], &nearest[r[k].asked][way]))
                nearest[r[k].asked][way] = r[k].of[way];
    for (size_t i = 0; i < regions->n; i++)
        targets[i] = choose(regions->point[i], nearest[i]);
    sn_free(nearest);
    return targets;
}

sn_status sn_self_find_targets(const sn_self_surface *s, const sn_mesh *shape, const sn_box *bounds,
                               RTCDevice device, const sn_self_regions *regions,
                               sn_self_target **targets)
{
    MPI_Comm comm = s->embedding->tree->comm;
    sn_self_target_set set;
    sn_self_target_set_create(s, shape, bounds, device, regions, on_ray, &set);
    sn_inbox asked = send_rays(s, shape, regions, &set.blocks);
    reply *replies = shoot_all(&set, &asked);
    sn_inbox answers = sn_records_reply(comm, &asked, sizeof *replies, replies);
    *targets = choose_all(regions, &answers);
    sn_self_nearest_targets(s, shape, &set, regions, *targets);
    sn_self_target_set_free(&set);
    sn_free(replies);
    sn_inbox_free(&asked);
    sn_inbox_free(&answers);
    sn_status status = sn_agree(comm, sn_self_embree_status());
    if (status != SN_OK)
        sn_free(*targets);
    return status;
}
