#include "render/stage.h"

#include "base/vec3.h"
#include "render/look.h"

static const double GROUND_REACH = 0.75; /* of the extent's diagonal */

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

sn_status sn_stage_create(MPI_Comm comm, const sn_scene *scene, const sn_extent *extent,
                          sn_stage *stage)
{
    *stage = (sn_stage){
        .scene = scene, .extent = *extent, .camera = sn_scene_camera(scene, &extent->framing)};
    return sn_props_create(comm, scene, &stage->props);
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

sn_status sn_stage_draw(const sn_stage *stage, int frame, const sn_mesh *body, int n_bodies,
                        sn_image *image)
{
    const sn_render_settings *render = &stage->scene->render;
    sn_picture *picture =
        sn_picture_create(render->width, render->height, &stage->camera, SN_PAPER);
    for (int b = 0; b < n_bodies; b++) {
        sn_mesh_look look = {.colour = sn_body_colour(b),
                             .substance = render->bones ? SN_SHEER : SN_SOLID};
        sn_picture_add_mesh(picture, &body[b], 0, body[b].n_triangles, &look);
    }
    sn_status status = sn_props_add(&stage->props, frame, picture);
    add_ground(stage, frame, picture);
    if (status == SN_OK)
        status = sn_picture_render(picture, render->samples, image);
    sn_picture_free(picture);
    return status;
}
