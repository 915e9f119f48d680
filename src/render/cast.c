/* Rays against one rank's geometry, with Embree.
 *
 * The answer may not depend on which triangles are here and which on other ranks, so Embree's
 * choice among hits at the same depth (which follows the shape of its tree) is not used: the
 * callbacks keep the smallest sample of all hits. A hit's depth and place depend on its ray and
 * its own primitive only. */
#include "base/array.h"
#include "mesh/embree.h"
#include "render/parts.h"
#include "render/shade.h"

static const float border_pixels = 1.2f; /* between two cells; each draws half */
static const float border_share = 0.07f; /* of a cell's edge, at most */
static const float border_darkening = 0.22f;
/* Later hits up to this much farther are still offered, so that none at equal depth is lost. */
static const float depth_slack = 1e-5f;

struct sn_caster {
    const sn_picture *picture;
    RTCDevice device; /* the rank's (mesh/embree.h) */
    RTCScene scene;
};

typedef struct {
    float depth;
    uint32_t mesh, triangle;
    float u, v;
    sn_vector3 face; /* of any length */
} triangle_hit;

typedef struct {
    struct RTCIntersectContext embree; /* first: Embree hands back a pointer to it */
    const sn_caster *caster;
    sn_sample nearest;
    triangle_hit *hit; /* NULL: samples are wanted */
    bool only_solid;   /* goes through what is sheer */
} ray_context;

static void keep(ray_context *ray, float depth, sn_colour colour)
{
    sn_sample s = sn_sample_pack(depth, colour);
    if (s < ray->nearest)
        ray->nearest = s;
}

static bool is_hidden(const ray_context *ray, float depth)
{
    return !(depth > 0) || depth > sn_sample_depth(ray->nearest);
}

static sn_vector3 ray_direction(const struct RTCRay *ray)
{
    return (sn_vector3){ray->dir_x, ray->dir_y, ray->dir_z};
}

static bool is_cut_away(const sn_cutting_plane *plane, const struct RTCRay *ray)
{
    sn_vector3 origin = {ray->org_x, ray->org_y, ray->org_z};
    float at = sn_component3(origin, plane->axis) +
               ray->tfar * sn_component3(ray_direction(ray), plane->axis);
    return plane->keeps_above ? at < plane->offset : at > plane->offset;
}

/* The normal at a hit, blended from the corners, on the side that the ray comes from. */
static sn_vector3 smooth_normal(const sn_mesh_part *mesh, const triangle_hit *hit,
                                sn_vector3 direction)
{
    const sn_vector3 *corner = mesh->normal + 3 * (size_t)hit->triangle;
    sn_vector3 blend = sn_add3(sn_scale3(1 - hit->u - hit->v, corner[0]),
                               sn_add3(sn_scale3(hit->u, corner[1]), sn_scale3(hit->v, corner[2])));
    return sn_scale3(sn_dot3(hit->face, direction) > 0 ? -1 : 1, sn_unit3(blend));
}

/* The colour at a hit, linear. */
static sn_vector3 light_at(const sn_mesh_part *mesh, const triangle_hit *hit)
{
    if (!mesh->vertex_light)
        return mesh->light;
    const uint32_t *corner = mesh->triangle[hit->triangle];
    return sn_add3(sn_scale3(1 - hit->u - hit->v, mesh->vertex_light[corner[0]]),
                   sn_add3(sn_scale3(hit->u, mesh->vertex_light[corner[1]]),
                           sn_scale3(hit->v, mesh->vertex_light[corner[2]])));
}

static triangle_hit triangle_hit_of(const struct RTCRay *ray, const struct RTCHit *hit)
{
    return (triangle_hit){.depth = ray->tfar,
                          .mesh = hit->geomID,
                          .triangle = hit->primID,
                          .u = hit->u,
                          .v = hit->v,
                          .face = {hit->Ng_x, hit->Ng_y, hit->Ng_z}};
}

static bool is_before(const triangle_hit *a, const triangle_hit *b)
{
    if (a->depth != b->depth)
        return a->depth < b->depth;
    return a->mesh != b->mesh ? a->mesh < b->mesh : a->triangle < b->triangle;
}

static void on_triangle(const struct RTCFilterFunctionNArguments *arguments)
{
    ray_context *context = (ray_context *)arguments->context;
    const sn_mesh_part *mesh = arguments->geometryUserPtr;
    struct RTCRay *ray = (struct RTCRay *)arguments->ray; /* rtcIntersect1: N is 1 */
    const sn_picture *picture = context->caster->picture;
    triangle_hit hit = triangle_hit_of(ray, (const struct RTCHit *)arguments->hit);
    bool hidden = context->hit ? !is_before(&hit, context->hit) : is_hidden(context, hit.depth);
    bool passes = context->only_solid && mesh->substance == SN_SHEER;
    if (hidden || passes || (mesh->cut && is_cut_away(&picture->plane, ray))) {
        arguments->valid[0] = 0;
        return;
    }
    if (context->hit)
        *context->hit = hit;
    else {
        sn_vector3 direction = ray_direction(ray), to_eye = sn_scale3(-1, direction);
        sn_vector3 normal = smooth_normal(mesh, &hit, direction);
        keep(context, hit.depth,
             sn_light_to_colour(
                 sn_shade(&picture->view, light_at(mesh, &hit), normal, to_eye, SN_OPEN)));
    }
    ray->tfar *= 1 + depth_slack;
}

/* ---- Boxes ---- */

static void box_bounds(const struct RTCBoundsFunctionArguments *arguments)
{
    const sn_picture_box *b =
        (const sn_picture_box *)arguments->geometryUserPtr + arguments->primID;
    struct RTCBounds *bounds = arguments->bounds_o;
    bounds->lower_x = b->min[0];
    bounds->lower_y = b->min[1];
    bounds->lower_z = b->min[2];
    bounds->upper_x = b->max[0];
    bounds->upper_y = b->max[1];
    bounds->upper_z = b->max[2];
}

/* Where a ray enters a box that it starts outside of, and through the face across which axis.
 * In double, so that a flat box is hit too. */
static bool enter_box(const sn_picture_box *b, const float origin[3], const float direction[3],
                      double *depth, int *axis)
{
    double enter = 0, leave = INFINITY;
    *axis = -1;
    for (int d = 0; d < 3; d++) {
        double low = (double)b->min[d] - origin[d], high = (double)b->max[d] - origin[d];
        if (direction[d] == 0) {
            if (low > 0 || high < 0)
                return false;
            continue;
        }
        double near = (direction[d] > 0 ? low : high) / direction[d];
        double far = (direction[d] > 0 ? high : low) / direction[d];
        if (near > enter) {
            enter = near;
            *axis = d;
        }
        leave = fmin(leave, far);
    }
    *depth = enter;
    return *axis >= 0 && enter <= leave;
}

/* Of a pixel at some depth. */
static float pixel_size(const sn_picture *picture, float depth)
{
    float at_one = 2 * picture->view.half_height / (float)picture->height;
    return picture->view.perspective ? at_one * depth : at_one;
}

/* Lines along the edges of a box's faces, a pixel or so wide however far away. */
static bool is_on_border(const sn_picture_box *b, int axis, const float point[3], float pixel)
{
    float half_border = fminf(border_pixels / 2 * pixel, border_share * b->edge);
    for (int d = 0; d < 3; d++)
        if (d != axis && fminf(point[d] - b->min[d], b->max[d] - point[d]) < half_border)
            return true;
    return false;
}

static sn_colour box_colour(const sn_picture *picture, const sn_picture_box *b, int axis,
                            float depth, const float origin[3], const float direction[3])
{
    const sn_cutting_plane *plane = &picture->plane;
    float point[3], face[3] = {0, 0, 0};
    for (int d = 0; d < 3; d++)
        point[d] = origin[d] + depth * direction[d];
    face[axis] = direction[axis] > 0 ? -1.0f : 1.0f;
    bool section = axis == plane->axis && (plane->keeps_above == (face[axis] < 0));
    bool border = is_on_border(b, axis, point, pixel_size(picture, depth));
    if (section && !border)
        return b->colour;
    sn_vector3 light = sn_scale3(border ? border_darkening : 1, sn_colour_to_light(b->colour));
    if (section)
        return sn_light_to_colour(light);
    sn_vector3 to_eye = {-direction[0], -direction[1], -direction[2]};
    sn_vector3 normal = {face[0], face[1], face[2]};
    return sn_light_to_colour(sn_shade(&picture->view, light, normal, to_eye, SN_OPEN));
}

static void on_box(const struct RTCIntersectFunctionNArguments *arguments)
{
    if (!arguments->valid[0])
        return;
    ray_context *context = (ray_context *)arguments->context;
    const sn_picture_box *b =
        (const sn_picture_box *)arguments->geometryUserPtr + arguments->primID;
    struct RTCRay *ray = &((struct RTCRayHit *)arguments->rayhit)->ray;
    float origin[3] = {ray->org_x, ray->org_y, ray->org_z};
    float direction[3] = {ray->dir_x, ray->dir_y, ray->dir_z};
    double entry;
    int axis;
    if (!enter_box(b, origin, direction, &entry, &axis) || is_hidden(context, (float)entry))
        return;
    float depth = (float)entry;
    keep(context, depth, box_colour(context->caster->picture, b, axis, depth, origin, direction));
    ray->tfar = fminf(ray->tfar, depth * (1 + depth_slack));
}

/* ---- The scene ---- */

static void attach(sn_caster *c, RTCGeometry geometry, size_t number)
{
    rtcCommitGeometry(geometry);
    rtcAttachGeometryByID(c->scene, geometry, (unsigned)number);
    rtcReleaseGeometry(geometry);
}

/* The geometry's number is the mesh's. */
static void attach_mesh(sn_caster *c, size_t number)
{
    sn_mesh_part *mesh = &c->picture->mesh.data[number];
    RTCGeometry geometry = rtcNewGeometry(c->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, mesh->vertex,
                               0, sizeof *mesh->vertex, (size_t)mesh->n_vertices);
    rtcSetSharedGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, mesh->triangle,
                               0, sizeof *mesh->triangle, (size_t)mesh->n_triangles);
    rtcSetGeometryUserData(geometry, mesh);
    rtcSetGeometryIntersectFilterFunction(geometry, on_triangle);
    attach(c, geometry, number);
}

/* After all meshes. */
static void attach_boxes(sn_caster *c, sn_picture_box *boxes, size_t count)
{
    RTCGeometry geometry = sn_embree_boxed_things(c->device, boxes, count, box_bounds, on_box);
    attach(c, geometry, c->picture->mesh.count);
}

static sn_status build(sn_caster *c, bool inside)
{
    SN_TRY(sn_embree_start(&c->device));
    c->scene = rtcNewScene(c->device);
    /* Neighbouring triangles leave no crack between them. */
    rtcSetSceneFlags(c->scene, RTC_SCENE_FLAG_ROBUST);
    for (size_t m = 0; m < c->picture->mesh.count; m++)
        if ((c->picture->mesh.data[m].substance == SN_INSIDE) == inside)
            attach_mesh(c, m);
    if (c->picture->box.count > 0 && !inside)
        attach_boxes(c, c->picture->box.data, c->picture->box.count);
    rtcCommitScene(c->scene);
    return sn_embree_status("take in the picture's geometry");
}

sn_status sn_caster_create(const sn_picture *picture, bool inside, sn_caster **out)
{
    sn_caster *c = SN_NEW_ZERO(sn_caster, 1);
    c->picture = picture;
    *out = c;
    return build(c, inside);
}

void sn_caster_free(sn_caster *c)
{
    if (c->scene)
        rtcReleaseScene(c->scene);
    sn_free(c);
}

static struct RTCRay ray_from(sn_vector3 origin, sn_vector3 direction, float reach)
{
    return (struct RTCRay){.org_x = origin.x,
                           .org_y = origin.y,
                           .org_z = origin.z,
                           .dir_x = direction.x,
                           .dir_y = direction.y,
                           .dir_z = direction.z,
                           .tfar = reach,
                           .mask = UINT32_MAX};
}

static void follow(ray_context *context, sn_vector3 origin, sn_vector3 direction)
{
    struct RTCRayHit ray = {.ray = ray_from(origin, direction, INFINITY),
                            .hit = {.geomID = RTC_INVALID_GEOMETRY_ID}};
    rtcInitIntersectContext(&context->embree);
    rtcIntersect1(context->caster->scene, &context->embree, &ray);
}

sn_sample sn_caster_cast(const sn_caster *c, float x, float y)
{
    sn_vector3 origin, direction;
    sn_view_ray(&c->picture->view, x, y, &origin, &direction);
    ray_context context = {.caster = c, .nearest = SN_EMPTY_SAMPLE};
    follow(&context, origin, direction);
    return context.nearest;
}

/* The tangent planes at the corners, where they lie outside the triangle, blended: a point of a
 * smooth surface through the corners. */
static sn_vector3 offset_to_smooth(const sn_mesh_part *mesh, const triangle_hit *hit, float side)
{
    const uint32_t *corner = mesh->triangle[hit->triangle];
    const sn_vector3 *normal = mesh->normal + 3 * (size_t)hit->triangle;
    float weight[3] = {1 - hit->u - hit->v, hit->u, hit->v};
    sn_vector3 point = {0, 0, 0}, offset = {0, 0, 0};
    for (int c = 0; c < 3; c++)
        point = sn_add3(point, sn_scale3(weight[c], mesh->vertex[corner[c]]));
    for (int c = 0; c < 3; c++) {
        sn_vector3 outward = sn_scale3(side, normal[c]);
        sn_vector3 from_corner = sn_add3(point, sn_scale3(-1, mesh->vertex[corner[c]]));
        float below = fminf(sn_dot3(from_corner, outward), 0);
        offset = sn_add3(offset, sn_scale3(-below * weight[c], outward));
    }
    return offset;
}

static triangle_hit first_triangle(const sn_caster *c, sn_vector3 origin, sn_vector3 direction,
                                   bool only_solid)
{
    triangle_hit first = {.depth = INFINITY};
    ray_context context = {.caster = c, .hit = &first, .only_solid = only_solid};
    follow(&context, origin, direction);
    return first;
}

float sn_caster_solid_depth(const sn_caster *c, sn_vector3 origin, sn_vector3 direction)
{
    return first_triangle(c, origin, direction, true).depth;
}

sn_hit sn_caster_hit(const sn_caster *c, sn_vector3 origin, sn_vector3 direction)
{
    triangle_hit first = first_triangle(c, origin, direction, false);
    sn_hit hit = {.depth = first.depth};
    if (isinf(first.depth))
        return hit;
    const sn_mesh_part *mesh = &c->picture->mesh.data[first.mesh];
    float side = sn_dot3(first.face, direction) > 0 ? -1 : 1;
    hit.face = sn_scale3(side, sn_unit3(first.face));
    hit.normal = smooth_normal(mesh, &first, direction);
    hit.light = light_at(mesh, &first);
    hit.to_smooth = offset_to_smooth(mesh, &first, side);
    return hit;
}

bool sn_caster_is_blocked(const sn_caster *c, sn_vector3 origin, sn_vector3 direction, float reach)
{
    struct RTCRay ray = ray_from(origin, direction, reach);
    struct RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    rtcOccluded1(c->scene, &context, &ray);
    return ray.tfar < 0;
}
