#include "render/props.h"

#include "base/pi.h"
#include "base/vec3.h"
#include "io/mesh/load.h"
#include "motion/motion.h"
#include "render/look.h"
#include "shapes/modelling/ring.h"
#include "shapes/solids.h"

#include <string.h>

enum { SPHERE_DETAIL = 32, SECTORS = 96, CAP_RINGS = 24 };
static const double faces_up = 0.7; /* cosine: what is steeper is a wall */

/* ---- Shapes as meshes ---- */

static void make_sphere(const sn_shape_sphere *sphere, sn_surface *surface)
{
    sn_make_sphere(sphere->radius, SPHERE_DETAIL, surface);
    for (size_t v = 0; v < surface->vertices.count; v++)
        surface->vertices.data[v] =
            sn_vec_add(surface->vertices.data[v], sn_vec_load(sphere->center));
}

/* Rings from one end of the axis to the other; a capsule's ends bulge out. */
static void make_round(const sn_shape_round *shape, bool bulges, sn_surface *surface)
{
    sn_vec a = sn_vec_load(shape->a), b = sn_vec_load(shape->b), axis = sn_vec_sub(b, a);
    sn_frame frame = sn_frame_around(sn_vec_length(axis) > 0 ? axis : (sn_vec){0, 1, 0});
    int rings = bulges ? CAP_RINGS : 1; /* at each end */
    sn_ring last;
    for (int i = 0; i < 2 * rings; i++) {
        int from_rim = i < rings ? rings - 1 - i : i - rings;
        double angle = SN_PI / 2 * from_rim / rings, r = shape->radius;
        sn_vec end = i < rings ? a : b;
        double out = bulges ? (i < rings ? -r : r) * sin(angle) : 0;
        sn_ring ring = sn_ring_add(surface, &frame, sn_vec_add(end, sn_vec_scale(frame.axis, out)),
                                   r * cos(angle), 1, SECTORS, 0);
        if (i == 0)
            sn_ring_open(surface, &ring, sn_vec_sub(a, sn_vec_scale(frame.axis, bulges ? r : 0)));
        else
            sn_ring_join(surface, &last, &ring);
        last = ring;
    }
    double r = bulges ? shape->radius : 0;
    sn_ring_close(surface, &last, sn_vec_add(b, sn_vec_scale(frame.axis, r)));
}

static sn_mesh make_mesh(const sn_shape *shape)
{
    sn_surface surface = {0};
    switch (shape->kind) {
    case SN_SHAPE_BOX:
        sn_make_box(sn_vec_load(shape->box.min), sn_vec_load(shape->box.max), 1, &surface);
        break;
    case SN_SHAPE_SPHERE:
        make_sphere(&shape->sphere, &surface);
        break;
    case SN_SHAPE_CAPSULE:
        make_round(&shape->capsule, true, &surface);
        break;
    case SN_SHAPE_CYLINDER:
        make_round(&shape->cylinder, false, &surface);
        break;
    case SN_SHAPE_NONE:
    case SN_SHAPE_PLANE:
    case SN_SHAPE_MESH:
        break;
    }
    sn_mesh mesh;
    sn_surface_to_mesh(&surface, &mesh);
    return mesh;
}

/* ---- All of them ---- */

static sn_status load_file(MPI_Comm comm, const sn_origin *origin, sn_path key, const char *mesh,
                           const sn_placement *place, sn_prop *prop)
{
    sn_mesh_report report;
    sn_status status =
        sn_mesh_load_named(comm, origin, key.text, mesh, place, &prop->shared, &report);
    prop->from_file = status == SN_OK;
    prop->mesh = prop->shared.view;
    return status;
}

static sn_status add_collider(MPI_Comm comm, size_t i, sn_motion_source *source, sn_props *props)
{
    const sn_collider *collider = &props->scene->colliders.data[i];
    sn_path path = sn_key_path("colliders[%zu].motion", i);
    sn_prop prop = {.number = i};
    if (collider->motion.kind == SN_MOTION_SEQUENCE) {
        prop.sequence = SN_NEW_ZERO(sn_moving_mesh, 1);
        sn_push(&props->colliders, prop);
        return sn_moving_mesh_load(MPI_COMM_SELF, source, path.text, &collider->motion,
                                   prop.sequence);
    }
    SN_TRY(sn_motion_load(comm, source, path.text, &collider->motion, &prop.moving));
    sn_status status = SN_OK;
    if (collider->shape.kind == SN_SHAPE_MESH)
        status = load_file(comm, source->origin, sn_key_path("colliders[%zu].shape.mesh", i),
                           collider->shape.mesh, &collider->shape.place, &prop);
    else
        prop.mesh = make_mesh(&collider->shape);
    sn_push(&props->colliders, prop);
    return status;
}

static sn_status add_bone(MPI_Comm comm, size_t i, sn_motion_source *source, sn_props *props)
{
    const sn_bone *bone = &props->scene->bones.data[i];
    sn_prop prop = {.number = i};
    SN_TRY(sn_motion_load(comm, source, sn_key_path("bones[%zu].motion", i).text, &bone->motion,
                          &prop.moving));
    sn_status status = load_file(comm, source->origin, sn_key_path("bones[%zu].mesh", i),
                                 bone->mesh, &bone->place, &prop);
    sn_push(&props->bones, prop);
    return status;
}

static sn_status add_all(MPI_Comm comm, sn_motion_source *source, sn_props *props)
{
    const sn_scene *scene = props->scene;
    for (size_t i = 0; i < scene->colliders.count; i++)
        SN_TRY(sn_agree(comm, add_collider(comm, i, source, props)));
    for (size_t i = 0; i < scene->bones.count && scene->render.bones; i++)
        SN_TRY(sn_agree(comm, add_bone(comm, i, source, props)));
    return SN_OK;
}

sn_status sn_props_create(MPI_Comm comm, const sn_scene *scene, sn_props *props)
{
    *props = (sn_props){.scene = scene};
    sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames};
    sn_status status = add_all(comm, &source, props);
    sn_motion_source_free(&source);
    if (status != SN_OK)
        sn_props_free(props);
    return status;
}

static void free_list(sn_prop_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        sn_prop *prop = &list->data[i];
        if (prop->sequence && prop->sequence->settings) /* it was loaded */
            sn_moving_mesh_free(prop->sequence);
        sn_free(prop->sequence);
        sn_moving_free(&prop->moving);
        if (prop->from_file)
            sn_shared_mesh_free(&prop->shared);
        else
            sn_mesh_free(&prop->mesh);
    }
    sn_vector_free(list);
}

void sn_props_free(sn_props *props)
{
    free_list(&props->colliders);
    free_list(&props->bones);
}

static void add_posed(const sn_prop *prop, double frame, const sn_mesh_look *look,
                      sn_picture *picture)
{
    sn_affine pose = sn_moving_at(&prop->moving, frame);
    sn_mesh posed = prop->mesh;
    posed.vertex = SN_NEW(double[3], posed.n_vertices);
    for (int64_t v = 0; v < posed.n_vertices; v++)
        sn_affine_apply(&pose, prop->mesh.vertex[v], posed.vertex[v]);
    sn_picture_add_mesh(picture, &posed, 0, posed.n_triangles, look);
    sn_free(posed.vertex);
}

sn_status sn_props_add(const sn_props *props, double frame, sn_picture *picture)
{
    sn_mesh_look look = {.colour = SN_COLLIDER_GREY};
    sn_mesh_look bone = {.colour = SN_BONE_IVORY, .substance = SN_INSIDE};
    for (size_t i = 0; i < props->bones.count; i++)
        add_posed(&props->bones.data[i], frame, &bone, picture);
    for (size_t i = 0; i < props->colliders.count; i++) {
        const sn_prop *prop = &props->colliders.data[i];
        if (props->scene->colliders.data[prop->number].shape.invert)
            continue;
        if (prop->sequence) {
            SN_TRY(sn_moving_mesh_pose(prop->sequence, frame));
            const sn_mesh *view = &prop->sequence->view;
            sn_picture_add_mesh(picture, view, 0, view->n_triangles, &look);
        } else
            add_posed(prop, frame, &look, picture);
    }
    return SN_OK;
}

static sn_vec moved(const sn_affine *pose, sn_vec point)
{
    double from[3], to[3];
    sn_vec_store(point, from);
    sn_affine_apply(pose, from, to);
    return sn_vec_load(to);
}

/* A plane's normal after a map: across the images of two directions in the plane. */
static sn_vec moved_normal(const sn_affine *pose, sn_vec normal)
{
    sn_frame plane = sn_frame_around(normal);
    sn_vec origin = moved(pose, (sn_vec){0, 0, 0});
    return sn_vec_unit(sn_vec_cross(sn_vec_sub(moved(pose, plane.side), origin),
                                    sn_vec_sub(moved(pose, plane.other_side), origin)));
}

bool sn_props_find_ground(const sn_props *props, double frame, const double up[3],
                          const double point[3], sn_ground *ground)
{
    double lowest = INFINITY;
    sn_vec above = sn_vec_load(point), upward = sn_vec_load(up);
    for (size_t i = 0; i < props->colliders.count; i++) {
        const sn_prop *prop = &props->colliders.data[i];
        const sn_shape *shape = &props->scene->colliders.data[prop->number].shape;
        if (shape->kind != SN_SHAPE_PLANE)
            continue;
        sn_affine pose = sn_moving_at(&prop->moving, frame);
        sn_vec normal = moved_normal(&pose, sn_vec_load(shape->plane.normal));
        if (shape->invert)
            normal = sn_vec_scale(normal, -1);
        sn_vec on_plane = moved(&pose, sn_vec_load(shape->plane.point));
        double steep = sn_vec_dot(normal, upward);
        if (!(steep > faces_up))
            continue;
        double down = sn_vec_dot(sn_vec_sub(above, on_plane), normal) / steep;
        if (-down >= lowest)
            continue;
        lowest = -down;
        sn_vec_store(sn_vec_sub(above, sn_vec_scale(upward, down)), ground->middle);
        sn_vec_store(normal, ground->normal);
    }
    return !isinf(lowest);
}
