#include "model/model.h"

#include "base/array.h"
#include "base/timer.h"
#include "mesh/winding/shared.h"

#include <math.h>

static sn_status load_mesh(MPI_Comm comm, const sn_scene *scene, size_t b, sn_model *model)
{
    sn_path key_path = sn_key_path("bodies[%zu].mesh", b);
    const sn_body_settings *body = &scene->bodies.data[b];
    return sn_mesh_load_named(comm, &scene->origin, key_path.text, body->mesh, &body->place,
                              &model->mesh[b], &model->report[b]);
}

static sn_status place_grid(const sn_scene *scene, size_t b, sn_model *model)
{
    const sn_body_settings *wanted = &scene->bodies.data[b];
    double coarsest = isnan(wanted->coarsest) ? 0 : wanted->coarsest;
    sn_status status = sn_body_place(wanted->name, &model->report[b].bounds, wanted->cell, coarsest,
                                     &model->bodies.body[b]);
    model->bodies.body[b].name = wanted->name;
    sn_path key_path = sn_key_path("bodies[%zu].cell", b);
    return status == SN_OK ? SN_OK : sn_origin_blame(&scene->origin, key_path.text, status);
}

static void build_winding_tree(MPI_Comm comm, size_t b, sn_model *model)
{
    const sn_mesh *mesh = &model->mesh[b].view;
    const sn_winding_tree *tree = sn_winding_tree_share(comm, mesh, &model->winding[b]);
    model->solid[b] = (sn_solid){mesh, tree, model->report[b].closed_chain};
}

static sn_status load_bodies(MPI_Comm comm, const sn_scene *scene, sn_model *model)
{
    for (size_t b = 0; b < scene->bodies.count; b++) {
        SN_TRY(load_mesh(comm, scene, b, model));
        model->bodies.n++;
        SN_TRY(place_grid(scene, b, model));
    }
    return SN_OK;
}

sn_status sn_model_create(MPI_Comm comm, const sn_scene *scene, sn_model *model)
{
    size_t n = scene->bodies.count;
    *model = (sn_model){.mesh = SN_NEW_ZERO(sn_shared_mesh, n),
                        .report = SN_NEW_ZERO(sn_mesh_report, n),
                        .winding = SN_NEW_ZERO(sn_shared_block, n),
                        .solid = SN_NEW_ZERO(sn_solid, n),
                        .bodies = {.body = SN_NEW_ZERO(sn_body, n)}};
    sn_phase_begin("model/meshes");
    sn_status status = load_bodies(comm, scene, model);
    for (size_t b = 0; b < n && status == SN_OK; b++)
        build_winding_tree(comm, b, model);
    sn_phase_end("model/meshes");
    sn_hierarchy_options options = {.method = scene->partition.method};
    if (status == SN_OK)
        status = sn_hierarchy_create(comm, &model->bodies, model->solid, &options, &model->forest);
    if (status != SN_OK)
        sn_model_free(model);
    return status;
}

void sn_model_free(sn_model *model)
{
    sn_hierarchy_free(&model->forest);
    for (int b = 0; b < model->bodies.n; b++) {
        if (model->solid[b].mesh)
            sn_shared_block_free(&model->winding[b]);
        sn_shared_mesh_free(&model->mesh[b]);
    }
    sn_free(model->mesh);
    sn_free(model->report);
    sn_free(model->winding);
    sn_free(model->solid);
    sn_free(model->bodies.body);
    *model = (sn_model){0};
}

double sn_model_volume(const sn_model *model, int body)
{
    const sn_octree *finest = &model->forest.level[0];
    int64_t cells = 0; /* whole numbers: no order to depend on */
    for (sn_local i = finest->body_first[body]; i < finest->body_first[body + 1]; i++)
        if (finest->octant[i].is_element)
            cells += (int64_t)sn_key_span(finest->octant[i].height);
    MPI_Allreduce(MPI_IN_PLACE, &cells, 1, MPI_INT64_T, MPI_SUM, finest->comm);
    double cell = model->bodies.body[body].cell;
    return (double)cells * cell * cell * cell;
}
