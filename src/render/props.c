#include "render/props.h"

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

static void make_round(const sn_shape_round *shape, int cap_rings, sn_surface *surface)
{
    sn_make_round(sn_vec_load(shape->a), sn_vec_load(shape->b), shape->radius, SECTORS, cap_rings,
                  surface);
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
        make_round(&shape->capsule, CAP_RINGS, &surface);
        break;
    case SN_SHAPE_CYLINDER:
        make_round(&shape->cylinder, 0, &surface);
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

/* The bodies at rest, in which skeletons are. */
typedef struct {
    MPI_Comm comm;
    const sn_scene *scene;
    sn_shared_mesh *mesh;
    size_t n; /* that were loaded */
} bodies;

static const sn_mesh *surface_of(void *context, int body)
{
    return &((bodies *)context)->mesh[body].view;
}

/* Only skeletons have to know them. */
static sn_status load_bodies(bodies *b)
{
    bool needed = false;
    for (size_t i = 0; i < b->scene->bones.count; i++)
        needed = needed || b->scene->bones.data[i].kind == SN_BONES_FROM;
    for (; needed && b->n < b->scene->bodies.count; b->n++) {
        const sn_body_settings *body = &b->scene->bodies.data[b->n];
        sn_mesh_report report;
        SN_TRY(sn_mesh_load_named(b->comm, &b->scene->origin,
                                  sn_key_path("bodies[%zu].mesh", b->n).text, body->mesh,
                                  &body->place, &b->mesh[b->n], &report));
    }
    return SN_OK;
}

static sn_status list_bones(MPI_Comm comm, sn_props *props)
{
    bodies b = {.comm = comm, .scene = props->scene};
    b.mesh = SN_NEW_ZERO(sn_shared_mesh, props->scene->bodies.count);
    sn_status status = load_bodies(&b);
    if (status == SN_OK)
        status = sn_bone_list_create(comm, props->scene, surface_of, &b, &props->bone_list);
    while (b.n > 0)
        sn_shared_mesh_free(&b.mesh[--b.n]);
    sn_free(b.mesh);
    return status;
}

static sn_status add_bones(MPI_Comm comm, sn_props *props)
{
    SN_TRY(list_bones(comm, props));
    for (size_t i = 0; i < props->bone_list.bones.count; i++) {
        sn_prop prop = {.number = i, .from_file = true};
        SN_TRY(sn_bone_list_mesh(comm, props->scene, &props->bone_list, i, &prop.shared));
        prop.mesh = prop.shared.view;
        sn_push(&props->bones, prop);
    }
    return SN_OK;
}

static sn_status add_all(MPI_Comm comm, sn_motion_source *source, sn_props *props)
{
    const sn_scene *scene = props->scene;
    for (size_t i = 0; i < scene->colliders.count; i++)
        SN_TRY(sn_agree(comm, add_collider(comm, i, source, props)));
    return scene->render.bones ? sn_agree(comm, add_bones(comm, props)) : SN_OK;
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
    sn_bone_list_free(&props->bone_list);
}

static void visit_posed(const sn_prop *prop, const sn_moving *moving, double frame,
                        sn_prop_visit *visit, void *context)
{
    sn_affine pose = sn_moving_at(moving, frame);
    sn_mesh posed = prop->mesh;
    posed.vertex = SN_NEW(double[3], posed.n_vertices);
    for (int64_t v = 0; v < posed.n_vertices; v++)
        sn_affine_apply(&pose, prop->mesh.vertex[v], posed.vertex[v]);
    visit(context, &posed);
    sn_free(posed.vertex);
}

sn_status sn_props_visit(const sn_props *props, double frame, sn_prop_visit *visit, void *context)
{
    for (size_t i = 0; i < props->colliders.count; i++) {
        const sn_prop *prop = &props->colliders.data[i];
        if (props->scene->colliders.data[prop->number].shape.invert)
            continue;
        if (prop->sequence) {
            SN_TRY(sn_moving_mesh_pose(prop->sequence, frame));
            visit(context, &prop->sequence->view);
        } else
            visit_posed(prop, &prop->moving, frame, visit, context);
    }
    return SN_OK;
}

typedef struct {
    sn_picture *picture;
    sn_mesh_look look;
} adding;

static void add_to_picture(void *context, const sn_mesh *mesh)
{
    const adding *a = context;
    sn_picture_add_mesh(a->picture, mesh, 0, mesh->n_triangles, &a->look);
}

sn_status sn_props_add(const sn_props *props, double frame, sn_picture *picture)
{
    adding bone = {picture, {.colour = SN_BONE_IVORY, .substance = SN_INSIDE}};
    adding collider = {picture, {.colour = SN_COLLIDER_GREY}};
    for (size_t i = 0; i < props->bones.count; i++) {
        sn_moving_mesh *shape = props->bone_list.bones.data[i].shape;
        if (shape) {
            SN_TRY(sn_moving_mesh_pose(shape, frame));
            add_to_picture(&bone, &shape->view);
        } else
            visit_posed(&props->bones.data[i], &props->bone_list.bones.data[i].moving, frame,
                        add_to_picture, &bone);
    }
    return sn_props_visit(props, frame, add_to_picture, &collider);
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
