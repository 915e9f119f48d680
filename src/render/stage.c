#include "render/stage.h"

#include "base/array.h"
#include "base/vec3.h"
#include "render/legend.h"
#include "render/look.h"

#include <stdio.h>

static const double GROUND_REACH = 0.75;  /* of the extent's diagonal */
static const double COLLIDER_REACH = 2.5; /* of the extent's longest side */

sn_extent sn_extent_begin(const sn_scene *scene)
{
    double far = INFINITY, aspect = (double)scene->render.width / scene->render.height;
    return (sn_extent){.box = {{far, far, far}, {-far, -far, -far}},
                       .lowest = far,
                       .framing = sn_scene_framing(scene, aspect)};
}

void sn_extent_add(sn_extent *extent, const sn_mesh *mesh)
{
    sn_vec up = sn_vec_load(extent->framing.sky);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        for (int c = 0; c < 3; c++) {
            const double *point = mesh->vertex[mesh->triangle[t][c]];
            for (int d = 0; d < 3; d++) {
                extent->box.min[d] = fmin(extent->box.min[d], point[d]);
                extent->box.max[d] = fmax(extent->box.max[d], point[d]);
            }
            extent->lowest = fmin(extent->lowest, sn_vec_dot(sn_vec_load(point), up));
            sn_framing_add(&extent->framing, point);
        }
}

void sn_extent_unite(MPI_Comm comm, sn_extent *extent)
{
    MPI_Allreduce(MPI_IN_PLACE, extent->box.min, 3, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, extent->box.max, 3, MPI_DOUBLE, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, &extent->lowest, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, extent->framing.reach, 6, MPI_DOUBLE, MPI_MAX, comm);
}

/* ---- Colliders ---- */

static double longest_side(const sn_box *box)
{
    return fmax(box->max[0] - box->min[0],
                fmax(box->max[1] - box->min[1], box->max[2] - box->min[2]));
}

static sn_box box_of(const sn_mesh *mesh)
{
    double far = INFINITY;
    sn_box box = {{far, far, far}, {-far, -far, -far}};
    for (int64_t v = 0; v < mesh->n_vertices; v++)
        for (int d = 0; d < 3; d++) {
            box.min[d] = fmin(box.min[d], mesh->vertex[v][d]);
            box.max[d] = fmax(box.max[d], mesh->vertex[v][d]);
        }
    return box;
}

/* A large one is looked at for the ground only. */
static void add_collider(void *context, const sn_mesh *mesh)
{
    sn_extent *extent = context;
    sn_box box = box_of(mesh);
    sn_vec up = sn_vec_load(extent->framing.sky);
    bool seen = mesh->n_vertices > 0 && longest_side(&box) <= extent->collider_reach;
    for (int64_t v = 0; v < mesh->n_vertices; v++) {
        extent->lowest = fmin(extent->lowest, sn_vec_dot(sn_vec_load(mesh->vertex[v]), up));
        if (seen)
            sn_framing_add(&extent->framing, mesh->vertex[v]);
    }
}

/* Collective: each rank looks at some of the frames. */
static sn_status add_colliders(MPI_Comm comm, const sn_frame_list *frames, sn_stage *stage)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    sn_status status = SN_OK;
    stage->extent.collider_reach = COLLIDER_REACH * longest_side(&stage->extent.box);
    for (int i = rank; i < frames->n && status == SN_OK; i += size)
        status = sn_props_visit(&stage->props, frames->number[i], add_collider, &stage->extent);
    SN_TRY(sn_agree(comm, status));
    sn_extent_unite(comm, &stage->extent);
    return SN_OK;
}

/* ---- The stage ---- */

sn_status sn_stage_create(MPI_Comm comm, const sn_scene *scene, const sn_extent *extent,
                          const sn_frame_list *frames, sn_stage *stage)
{
    *stage = (sn_stage){.scene = scene, .extent = *extent};
    SN_TRY(sn_props_create(comm, scene, &stage->props));
    sn_status status = add_colliders(comm, frames, stage);
    if (status != SN_OK)
        sn_stage_free(stage);
    stage->camera = sn_scene_camera(scene, &stage->extent.framing);
    return status;
}

void sn_stage_free(sn_stage *stage)
{
    sn_props_free(&stage->props);
}

static void add_ground(const sn_stage *stage, int frame, sn_picture *picture)
{
    const sn_render_settings *render = &stage->scene->render;
    if (render->ground == SN_GROUND_NONE || isinf(stage->extent.lowest)) /* or nothing is there */
        return;
    sn_vec low = sn_vec_load(stage->extent.box.min), high = sn_vec_load(stage->extent.box.max);
    double up[3], centre[3];
    sn_scene_up(stage->scene, up);
    sn_vec middle = sn_vec_between(low, high, 0.5), upward = sn_vec_load(up);
    sn_vec_store(middle, centre);
    sn_ground ground = {.reach = GROUND_REACH * sn_vec_length(sn_vec_sub(high, low))};
    if (!isnan(render->ground_height) ||
        !sn_props_find_ground(&stage->props, frame, up, centre, &ground)) {
        double height = isnan(render->ground_height) ? stage->extent.lowest : render->ground_height;
        double down = sn_vec_dot(middle, upward) - height;
        sn_vec_store(sn_vec_sub(middle, sn_vec_scale(upward, down)), ground.middle);
        sn_vec_store(upward, ground.normal);
    }
    sn_picture_set_ground(picture, &ground);
}

static void add_meshes(const sn_stage *stage, const sn_frame_meshes *meshes, sn_picture *picture)
{
    for (int b = 0; b < meshes->n_bodies; b++) {
        const sn_mesh *mesh = &meshes->body[b];
        sn_colour *colours = NULL;
        if (meshes->value)
            colours = sn_colouring_colours(&stage->colouring, meshes->value[b], mesh->n_vertices);
        sn_mesh_look look = {.colour = sn_body_colour(b),
                             .substance = stage->scene->render.bones ? SN_SHEER : SN_SOLID,
                             .of_vertex = colours};
        sn_picture_add_mesh(picture, mesh, 0, mesh->n_triangles, &look);
        sn_free(colours);
    }
}

/* Some round steps from the lowest value to the highest. */
static void add_legend(const sn_colouring *c, sn_image *image)
{
    enum { ENTRIES = 9 };
    sn_legend_entry entry[ENTRIES];
    for (int i = 0; i < ENTRIES; i++) {
        double part = (double)i / (ENTRIES - 1);
        entry[i].colour = sn_value_colour(part);
        snprintf(entry[i].label, sizeof entry[i].label, "%.4g", c->low + part * (c->high - c->low));
    }
    sn_image_add_legend(image, entry, ENTRIES);
}

sn_status sn_stage_draw(const sn_stage *stage, int frame, const sn_frame_meshes *meshes,
                        sn_image *image)
{
    const sn_render_settings *render = &stage->scene->render;
    sn_picture *picture =
        sn_picture_create(render->width, render->height, &stage->camera, SN_PAPER);
    add_meshes(stage, meshes, picture);
    sn_status status = sn_props_add(&stage->props, frame, picture);
    add_ground(stage, frame, picture);
    if (status == SN_OK)
        status = sn_picture_render(picture, render->samples, image);
    if (status == SN_OK && stage->colouring.field)
        add_legend(&stage->colouring, image);
    sn_picture_free(picture);
    return status;
}
