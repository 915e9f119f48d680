#include "survey/thickness.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/vec3.h"
#include "mesh/embree.h"

#include <math.h>
#include <string.h>

/* Places of a triangle, as weights of its corners: the middles of its quarters. */
enum { PLACES = 4, MOST_MET = 16 /* by a ray before it counts as one that faces nothing */ };
static const double WEIGHT[PLACES][3] = {{4. / 6, 1. / 6, 1. / 6},
                                         {1. / 6, 4. / 6, 1. / 6},
                                         {1. / 6, 1. / 6, 4. / 6},
                                         {1. / 3, 1. / 3, 1. / 3}};

/* Surfaces face each other if their normals are within 60 degrees of being opposite. */
static const double FACING = -0.5;
static const double RARE = 0.01, HALF = 0.5; /* of the surface */
/* Rays begin so far from the place, in parts of the mesh's size: single precision there. */
static const double START = 1e-5;

typedef struct {
    uint64_t order;
    double distance, area;
    int64_t triangle;
    int place;
} measured;

typedef struct {
    const sn_mesh *mesh;
    RTCScene scene;
    double size, sign; /* -1: normals point inwards */
    sn_vec middle;     /* rays are as seen from here */
} caster;

/* ---- Rays ---- */

static sn_vec corner_of(const caster *c, int64_t t, int corner)
{
    return sn_vec_sub(sn_vec_load(c->mesh->vertex[c->mesh->triangle[t][corner]]), c->middle);
}

static sn_vec twice_area(const caster *c, int64_t t)
{
    sn_vec a = corner_of(c, t, 0);
    return sn_vec_scale(
        sn_vec_cross(sn_vec_sub(corner_of(c, t, 1), a), sn_vec_sub(corner_of(c, t, 2), a)),
        c->sign);
}

static sn_vec place_of(const caster *c, int64_t t, int place)
{
    sn_vec at = sn_vec_scale(corner_of(c, t, 0), WEIGHT[place][0]);
    for (int k = 1; k < 3; k++)
        at = sn_vec_add(at, sn_vec_scale(corner_of(c, t, k), WEIGHT[place][k]));
    return at;
}

static bool hits(const caster *c, sn_vec from, sn_vec way, double start, struct RTCRayHit *ray)
{
    struct RTCIntersectContext context;
    double o[3], d[3];
    sn_vec_store(from, o);
    sn_vec_store(way, d);
    *ray = (struct RTCRayHit){.ray = {.org_x = (float)o[0],
                                      .org_y = (float)o[1],
                                      .org_z = (float)o[2],
                                      .dir_x = (float)d[0],
                                      .dir_y = (float)d[1],
                                      .dir_z = (float)d[2],
                                      .tnear = (float)start,
                                      .tfar = INFINITY,
                                      .mask = ~0u},
                              .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcInitIntersectContext(&context);
    rtcIntersect1(c->scene, &context, ray);
    return ray->hit.geomID != RTC_INVALID_GEOMETRY_ID;
}

/* From a place along or against its normal to what faces it there; infinite if the first surface
 * with another side does not. */
static double way_to_facing(const caster *c, int64_t t, int place, double along)
{
    sn_vec normal = sn_vec_unit(twice_area(c, t));
    sn_vec way = sn_vec_scale(normal, along);
    double start = START * c->size;
    struct RTCRayHit ray;
    for (int i = 0; i < MOST_MET && hits(c, place_of(c, t, place), way, start, &ray); i++) {
        sn_vec met = sn_vec_unit(twice_area(c, ray.hit.primID));
        /* Inwards a ray leaves the flesh, outwards it enters: both against this normal. */
        if (sn_vec_dot(met, normal) < 0)
            return sn_vec_dot(met, normal) < FACING ? (double)ray.ray.tfar : INFINITY;
        start = (double)ray.ray.tfar + START * c->size;
    }
    return INFINITY;
}

/* ---- The surface as a whole ---- */

static sn_status make_scene(caster *c)
{
    RTCDevice device;
    SN_TRY(sn_embree_start(&device));
    RTCGeometry triangles = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    float *vertex = rtcSetNewGeometryBuffer(triangles, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                            3 * sizeof(float), (size_t)c->mesh->n_vertices);
    uint32_t *index = rtcSetNewGeometryBuffer(triangles, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                              3 * sizeof(uint32_t), (size_t)c->mesh->n_triangles);
    double middle[3];
    sn_vec_store(c->middle, middle);
    for (int64_t i = 0; vertex && i < 3 * c->mesh->n_vertices; i++)
        vertex[i] = (float)(c->mesh->vertex[i / 3][i % 3] - middle[i % 3]);
    for (int64_t i = 0; index && i < 3 * c->mesh->n_triangles; i++)
        index[i] = (uint32_t)c->mesh->triangle[i / 3][i % 3];
    rtcCommitGeometry(triangles);
    c->scene = rtcNewScene(device);
    rtcAttachGeometry(c->scene, triangles);
    rtcReleaseGeometry(triangles);
    rtcCommitScene(c->scene);
    return sn_embree_status("hold the surface");
}

static measured *measure(const caster *c, double along)
{
    size_t n = PLACES * (size_t)c->mesh->n_triangles;
    measured *all = SN_NEW(measured, n);
#pragma omp parallel for schedule(dynamic, 256)
    for (size_t i = 0; i < n; i++) {
        int64_t t = (int64_t)(i / PLACES);
        double area = sn_vec_length(twice_area(c, t)) / (2 * PLACES);
        all[i] = (measured){.distance = INFINITY, .triangle = t, .place = (int)(i % PLACES)};
        if (area > 0) {
            all[i].area = area;
            all[i].distance = way_to_facing(c, t, all[i].place, along);
        }
        all[i].order = sn_key_of_double(all[i].distance);
    }
    sn_sort_records(all, sizeof *all, n);
    return all;
}

static sn_thin_part part_of(const caster *c, const measured *all, double share)
{
    size_t n = PLACES * (size_t)c->mesh->n_triangles, i = 0;
    double whole = 0, sum = 0;
    for (size_t k = 0; k < n; k++)
        whole += all[k].area;
    while (i + 1 < n && sum + all[i].area < share * whole)
        sum += all[i++].area;
    sn_thin_part part = {.distance = all[i].distance};
    sn_vec_store(sn_vec_add(place_of(c, all[i].triangle, all[i].place), c->middle), part.place);
    return part;
}

static caster caster_of(const sn_mesh *mesh, bool inside_out)
{
    sn_box box = sn_mesh_bounds(mesh);
    caster c = {.mesh = mesh, .sign = inside_out ? -1 : 1};
    sn_vec low = sn_vec_load(box.min), high = sn_vec_load(box.max);
    c.middle = sn_vec_between(low, high, 0.5);
    c.size = sn_vec_length(sn_vec_sub(high, low));
    return c;
}

sn_status sn_mesh_thickness(const sn_mesh *mesh, bool inside_out, sn_thickness *thickness)
{
    caster c = caster_of(mesh, inside_out);
    SN_TRY(make_scene(&c));
    measured *inwards = measure(&c, -1), *outwards = measure(&c, 1);
    thickness->thinnest = part_of(&c, inwards, RARE);
    thickness->usual = part_of(&c, inwards, HALF).distance;
    thickness->closest = part_of(&c, outwards, RARE);
    sn_free(inwards);
    sn_free(outwards);
    rtcReleaseScene(c.scene);
    return SN_OK;
}
