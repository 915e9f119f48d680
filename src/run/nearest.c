#include "run/nearest.h"

#include "mesh/triangle.h"

#include <math.h>

static double distance_to_mesh(const sn_mesh *mesh, sn_vec point)
{
    double least = INFINITY;
    for (int64_t t = 0; t < mesh->n_triangles; t++) {
        sn_vec corner[3];
        for (int c = 0; c < 3; c++)
            corner[c] = sn_vec_load(mesh->vertex[mesh->triangle[t][c]]);
        sn_vec on = sn_triangle_point(corner, sn_triangle_nearest(corner, point));
        least = fmin(least, sn_vec_length(sn_vec_sub(on, point)));
    }
    return least;
}

static double distance_to_plane(const sn_shape_plane *plane, sn_vec point)
{
    sn_vec normal = sn_vec_unit(sn_vec_load(plane->normal));
    return fabs(sn_vec_dot(sn_vec_sub(point, sn_vec_load(plane->point)), normal));
}

/* A bone or a collider. */
typedef struct {
    const char *kind, *name;
    const sn_mesh *mesh;         /* at rest */
    const sn_shape_plane *plane; /* or this */
    const sn_moving *moving;
} thing;

/* Distances are those at rest, to which the place is brought: maps are rigid, or nearly. */
static void look_at(const thing *t, const double place[3], double frame, double other,
                    sn_nearest *nearest)
{
    sn_affine pose = sn_moving_at(t->moving, frame), back;
    double rest[3], elsewhere[3];
    if (!sn_affine_invert(&pose, &back))
        return;
    sn_affine_apply(&back, place, rest);
    sn_vec point = sn_vec_load(rest);
    double distance =
        t->plane ? distance_to_plane(t->plane, point) : distance_to_mesh(t->mesh, point);
    if (!(distance < nearest->distance))
        return;
    sn_affine pose_other = sn_moving_at(t->moving, other);
    sn_affine_apply(&pose_other, rest, elsewhere);
    *nearest =
        (sn_nearest){.kind = t->kind,
                     .name = t->name,
                     .distance = distance,
                     .way = sn_vec_length(sn_vec_sub(sn_vec_load(place), sn_vec_load(elsewhere)))};
}

static thing bone_of(const sn_props *props, size_t i)
{
    const sn_listed_bone *bone = &props->bone_list.bones.data[i];
    return (thing){"bone", bone->name, &props->bones.data[i].mesh, NULL, &bone->moving};
}

static thing collider_of(const sn_props *props, size_t i)
{
    const sn_prop *prop = &props->colliders.data[i];
    const sn_collider *collider = &props->scene->colliders.data[prop->number];
    bool is_plane = collider->shape.kind == SN_SHAPE_PLANE;
    return (thing){"collider", collider->name, &prop->mesh,
                   is_plane ? &collider->shape.plane : NULL, &prop->moving};
}

sn_nearest sn_nearest_to(const sn_props *props, const double place[3], double frame, double other)
{
    sn_nearest nearest = {.distance = INFINITY};
    for (size_t i = 0; i < props->bones.count; i++) {
        thing bone = bone_of(props, i);
        if (!props->bone_list.bones.data[i].shape)
            look_at(&bone, place, frame, other, &nearest);
    }
    for (size_t i = 0; i < props->colliders.count; i++) {
        thing collider = collider_of(props, i);
        if (!props->colliders.data[i].sequence)
            look_at(&collider, place, frame, other, &nearest);
    }
    return nearest;
}
