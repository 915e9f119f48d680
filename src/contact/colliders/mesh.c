#include "contact/colliders/mesh.h"

#include "base/array.h"
#include "mesh/embree.h"

#include <stdlib.h>

/* Embree works in single precision: searches reach this much farther, relative to the largest
 * coordinate and the radius, than they should in exact arithmetic. */
static const double SINGLE_SLACK = 1e-6;

/* Triangles this near to a point, relative to its largest coordinate and their size, touch it; and
 * the line to a point this near has no direction. */
static const double TOUCHING = 1e-11;

struct sn_collider_mesh {
    const sn_mesh *mesh;
    const double (*before)[3], (*now)[3];
    double side, longest_way;
    sn_box bounds;
    size_t embree_bytes;
    RTCScene scene;
    RTCGeometry geometry;
};

/* ---- Making and moving it ---- */

static void include(const double p[3], sn_box *box)
{
    for (int d = 0; d < 3; d++) {
        box->min[d] = fmin(box->min[d], p[d]);
        box->max[d] = fmax(box->max[d], p[d]);
    }
}

static sn_box nothing(void)
{
    return (sn_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

/* A vertex, before and now. */
static void include_vertex(const sn_collider_mesh *m, int32_t vertex, sn_box *box)
{
    include(m->before[vertex], box);
    include(m->now[vertex], box);
}

static void triangle_bounds(const struct RTCBoundsFunctionArguments *arguments)
{
    const sn_collider_mesh *m = arguments->geometryUserPtr;
    sn_box box = nothing();
    for (int c = 0; c < 3; c++)
        include_vertex(m, m->mesh->triangle[arguments->primID][c], &box);
    *arguments->bounds_o = sn_embree_bounds(&box);
}

static void measure(sn_collider_mesh *m)
{
    double longest = 0;
    m->bounds = nothing();
    for (int64_t t = 0; t < m->mesh->n_triangles; t++)
        for (int c = 0; c < 3; c++) {
            int32_t vertex = m->mesh->triangle[t][c];
            include_vertex(m, vertex, &m->bounds);
            sn_vec way = sn_vec_sub(sn_vec_load(m->now[vertex]), sn_vec_load(m->before[vertex]));
            longest = fmax(longest, sn_vec_dot(way, way));
        }
    m->longest_way = sqrt(longest);
}

/* Builds the tree, again if there is one, and counts what it holds. */
static void commit(sn_collider_mesh *m)
{
    size_t others = sn_embree_bytes() - m->embree_bytes;
    rtcCommitGeometry(m->geometry);
    rtcCommitScene(m->scene);
    m->embree_bytes = sn_embree_bytes() - others;
}

static sn_status build(sn_collider_mesh *m)
{
    RTCDevice device;
    SN_TRY(sn_embree_start(&device));
    m->scene = rtcNewScene(device);
    rtcSetSceneFlags(m->scene, RTC_SCENE_FLAG_ROBUST);
    m->geometry =
        sn_embree_boxed_things(device, m, (size_t)m->mesh->n_triangles, triangle_bounds, NULL);
    rtcAttachGeometry(m->scene, m->geometry);
    measure(m);
    commit(m);
    return sn_embree_status("take in a collider's mesh");
}

sn_status sn_collider_mesh_create(const sn_mesh *mesh, double side, sn_collider_mesh **out)
{
    sn_collider_mesh *m = SN_NEW_ZERO(sn_collider_mesh, 1);
    m->mesh = mesh;
    m->side = side;
    m->before = m->now = (const double(*)[3])mesh->vertex;
    sn_status status = build(m);
    if (status == SN_OK)
        *out = m;
    else
        sn_collider_mesh_free(m);
    return status;
}

void sn_collider_mesh_free(sn_collider_mesh *m)
{
    if (!m)
        return;
    if (m->geometry)
        rtcReleaseGeometry(m->geometry);
    if (m->scene)
        rtcReleaseScene(m->scene);
    sn_free(m);
}

void sn_collider_mesh_move(sn_collider_mesh *m, const double (*before)[3], const double (*now)[3])
{
    m->before = before;
    m->now = now;
    measure(m);
    rtcSetSceneBuildQuality(m->scene, RTC_BUILD_QUALITY_LOW); /* it is built again and again */
    commit(m);
}

sn_box sn_collider_mesh_bounds(const sn_collider_mesh *m)
{
    return m->bounds;
}

size_t sn_collider_mesh_memory(const sn_collider_mesh *m)
{
    return sizeof *m + m->embree_bytes;
}

double sn_collider_mesh_longest_way(const sn_collider_mesh *m)
{
    return m->longest_way;
}

void sn_collider_mesh_corners(const sn_collider_mesh *m, int32_t triangle, bool now,
                              sn_vec corner[3])
{
    for (int c = 0; c < 3; c++)
        corner[c] = sn_vec_load((now ? m->now : m->before)[m->mesh->triangle[triangle][c]]);
}

/* ---- Searching ---- */

static double largest_coordinate(sn_vec p)
{
    return fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z)));
}

/* A radius for Embree with which nothing within the true one is missed. */
static float generous(sn_vec p, double radius)
{
    return sn_embree_not_below(radius + SINGLE_SLACK * (largest_coordinate(p) + radius));
}

static void visit(const sn_collider_mesh *m, sn_vec p, double radius, RTCPointQueryFunction visitor,
                  void *search)
{
    struct RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    struct RTCPointQuery query = {.x = (float)p.x,
                                  .y = (float)p.y,
                                  .z = (float)p.z,
                                  .time = 0,
                                  .radius = generous(p, radius)};
    rtcPointQuery(m->scene, &query, &context, visitor, search);
}

/* The best place that a search has found so far: of equal ones, on the triangle with the lower
 * index. */
typedef struct {
    double value;
    int32_t triangle; /* -1: none */
    sn_weights weights;
} best_place;

static bool improve(best_place *best, double value, int32_t triangle, sn_weights weights)
{
    bool is_first = best->triangle < 0 || triangle < best->triangle;
    if (!(value < best->value) && !(value == best->value && is_first))
        return false;
    *best = (best_place){value, triangle, weights};
    return true;
}

/* ---- The nearest point ---- */

typedef struct {
    const sn_collider_mesh *mesh;
    sn_vec p, at;
    best_place nearest; /* by the square of its distance */
} nearest_search;

static bool try_nearest(struct RTCPointQueryFunctionArguments *arguments)
{
    nearest_search *s = arguments->userPtr;
    int32_t triangle = (int32_t)arguments->primID;
    sn_vec corner[3];
    sn_collider_mesh_corners(s->mesh, triangle, true, corner);
    sn_weights weights = sn_triangle_nearest(corner, s->p);
    sn_vec at = sn_triangle_point(corner, weights), away = sn_vec_sub(s->p, at);
    double square = sn_vec_dot(away, away);
    bool closer = square < s->nearest.value;
    if (improve(&s->nearest, square, triangle, weights))
        s->at = at;
    if (closer)
        arguments->query->radius = generous(s->p, sqrt(square));
    return closer;
}

/* ---- Its normal ---- */

typedef struct {
    const sn_collider_mesh *mesh;
    sn_vec p;
    SN_VECTOR(int32_t) touching;
} touching_search;

static bool try_touching(struct RTCPointQueryFunctionArguments *arguments)
{
    touching_search *s = arguments->userPtr;
    sn_push(&s->touching, (int32_t)arguments->primID);
    return false;
}

static int by_index(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
    return (left > right) - (left < right);
}

/* A triangle's part of the angle-weighted normal at p; nothing if it does not touch. */
static sn_vec normal_share(const sn_collider_mesh *m, int32_t triangle, sn_vec p)
{
    sn_vec corner[3];
    sn_collider_mesh_corners(m, triangle, true, corner);
    double size = largest_coordinate(p);
    for (int c = 0; c < 3; c++)
        size = fmax(size, largest_coordinate(corner[c]));
    sn_weights place = sn_triangle_nearest(corner, p);
    for (int c = 0; c < 3; c++) { /* rounding must not make an edge of a corner */
        if (sn_vec_length(sn_vec_sub(corner[c], p)) <= TOUCHING * size)
            place = (sn_weights){{c == 0, c == 1, c == 2}};
    }
    if (sn_vec_length(sn_vec_sub(sn_triangle_point(corner, place), p)) > TOUCHING * size)
        return (sn_vec){0, 0, 0};
    sn_vec normal = sn_vec_unit(sn_triangle_normal(corner));
    return sn_vec_scale(normal, sn_triangle_angle(corner, place));
}

/* Summed in the order of the triangles, whatever order they were found in. */
static sn_vec weighted_normal(const sn_collider_mesh *m, sn_vec p)
{
    touching_search s = {.mesh = m, .p = p};
    visit(m, p, 0, try_touching, &s);
    qsort(s.touching.data, s.touching.count, sizeof *s.touching.data, by_index);
    sn_vec sum = {0, 0, 0};
    for (size_t i = 0; i < s.touching.count; i++)
        sum = sn_vec_add(sum, normal_share(m, s.touching.data[i], p));
    sn_vector_free(&s.touching);
    return sum;
}

static bool is_in_face(sn_weights weights)
{
    return weights.of[0] > 0 && weights.of[1] > 0 && weights.of[2] > 0;
}

static sn_vec normal_at(const sn_collider_mesh *m, int32_t triangle, sn_weights weights, sn_vec at)
{
    sn_vec corner[3], normal = {0, 0, 0};
    sn_collider_mesh_corners(m, triangle, true, corner);
    if (!is_in_face(weights))
        normal = sn_vec_unit(weighted_normal(m, at));
    if (!(sn_vec_dot(normal, normal) > 0))
        normal = sn_vec_unit(sn_triangle_normal(corner));
    if (!(sn_vec_dot(normal, normal) > 0)) /* a triangle without area on its own */
        normal = sn_vec_across(sn_vec_sub(corner[1], corner[0]));
    return sn_vec_scale(normal, m->side);
}

static sn_surface_point as_surface_point(const nearest_search *s)
{
    const best_place *n = &s->nearest;
    sn_vec normal = normal_at(s->mesh, n->triangle, n->weights, s->at);
    sn_vec away = sn_vec_sub(s->p, s->at);
    double distance = sqrt(n->value), sign = sn_vec_dot(away, normal) >= 0 ? 1 : -1;
    if (!is_in_face(n->weights) && distance > TOUCHING * largest_coordinate(s->p))
        normal = sn_vec_scale(away, sign / distance);
    return (sn_surface_point){
        .at = s->at, .normal = normal, .distance = sign * distance, .triangle = n->triangle};
}

bool sn_collider_mesh_nearest(const sn_collider_mesh *m, sn_vec p, double radius,
                              sn_surface_point *nearest)
{
    nearest_search s = {.mesh = m, .p = p, .nearest = {.value = radius * radius, .triangle = -1}};
    visit(m, p, fmin(radius, 1e30), try_nearest, &s);
    if (s.nearest.triangle < 0)
        return false;
    *nearest = as_surface_point(&s);
    return true;
}

/* ---- Crossings ---- */

typedef struct {
    const sn_collider_mesh *mesh;
    sn_vec from, to;
    best_place first; /* by its time */
} crossing_search;

static bool try_crossing(struct RTCPointQueryFunctionArguments *arguments)
{
    crossing_search *s = arguments->userPtr;
    int32_t triangle = (int32_t)arguments->primID;
    sn_vec before[3], now[3];
    sn_weights weights;
    double time;
    sn_collider_mesh_corners(s->mesh, triangle, false, before);
    sn_collider_mesh_corners(s->mesh, triangle, true, now);
    if (sn_triangle_passed(before, now, s->from, s->to, s->mesh->side, &time, &weights))
        improve(&s->first, time, triangle, weights);
    return false;
}

bool sn_collider_mesh_enter(const sn_collider_mesh *m, sn_vec from, sn_vec to,
                            sn_surface_point *entry)
{
    crossing_search s = {
        .mesh = m, .from = from, .to = to, .first = {.value = INFINITY, .triangle = -1}};
    double half_way = sn_vec_length(sn_vec_sub(to, from)) / 2;
    visit(m, sn_vec_between(from, to, 0.5), half_way, try_crossing, &s);
    const best_place *first = &s.first;
    if (!(first->value <= 1))
        return false;
    sn_vec corner[3];
    sn_collider_mesh_corners(m, first->triangle, true, corner);
    sn_vec normal = sn_vec_unit(sn_triangle_normal(corner));
    *entry = (sn_surface_point){.at = sn_triangle_point(corner, first->weights),
                                .normal = sn_vec_scale(normal, m->side),
                                .triangle = first->triangle};
    return true;
}
