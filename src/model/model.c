#include "model/model.h"

#include "base/array.h"
#include "base/log.h"
#include "base/timer.h"
#include "mesh/winding/shared.h"
#include "model/room.h"

#include <math.h>
#include <string.h>

/* An open mesh that has less than this part of its cells inside is a sheet, not a solid: its
 * winding numbers are near one half everywhere and tell nothing. */
static const double HOLLOW = 0.05;

static sn_status load_mesh(MPI_Comm comm, const sn_scene *scene, size_t b, sn_model *model)
{
    sn_path key_path = sn_key_path("bodies[%zu].mesh", b);
    const sn_body_settings *body = &scene->bodies.data[b];
    return sn_mesh_load_asset(comm, &scene->origin, key_path.text, body->mesh, &body->place,
                              &model->mesh[b], &model->report[b], &model->asset[b]);
}

static sn_status place_grid(const sn_scene *scene, size_t b, sn_model *model)
{
    const sn_body_settings *wanted = &scene->bodies.data[b];
    double coarsest = isnan(wanted->coarsest) ? 0 : wanted->coarsest;
    sn_status status = sn_body_place(wanted->name, &model->report[b].bounds, wanted->cell, coarsest,
                                     &model->bodies.body[b]);
    model->bodies.body[b].name = wanted->name;
    model->bodies.body[b].welded = wanted->close_parts == SN_CLOSE_WELD;
    sn_path key_path = sn_key_path("bodies[%zu].cell", b);
    return status == SN_OK ? SN_OK : sn_origin_blame(&scene->origin, key_path.text, status);
}

static void build_winding_tree(MPI_Comm comm, size_t b, sn_model *model)
{
    const sn_mesh *mesh = &model->mesh[b].view;
    const sn_winding_tree *tree = sn_winding_tree_share(comm, mesh, &model->winding[b]);
    model->solid[b] =
        (sn_solid){mesh, tree, model->report[b].closed_chain, model->report[b].volume < 0};
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

/* All that is said of a body's elements is that they are there. */
static void make_whole(const sn_octree *tree, int body, sn_model *model)
{
    sn_leaves elements = sn_octree_elements(tree);
    for (size_t e = 0; e < elements.n; e++)
        if (sn_key_body(elements.key[e]) == body) {
            model->fraction[e] = 1;
            memset(model->centroid[e], 0, sizeof model->centroid[e]);
        }
    sn_leaves_free(&elements);
}

/* Collective. */
static void keep_hollow_bodies(const sn_scene *scene, const bool *cut, sn_model *model)
{
    const sn_octree *tree = &model->forest.level[0];
    for (int b = 0; b < model->bodies.n; b++) {
        if (!cut[b] || model->solid[b].closed ||
            sn_model_volume(model, b) > HOLLOW * sn_octree_volume(tree, b, NULL))
            continue;
        sn_warn("%s: its mesh encloses next to nothing of its cells: they count as whole ones",
                scene->bodies.data[b].name);
        make_whole(tree, b, model);
    }
}

static sn_status find_fractions(const sn_scene *scene, sn_model *model)
{
    const sn_octree *tree = &model->forest.level[0];
    bool *cut = SN_NEW(bool, model->bodies.n);
    for (int b = 0; b < model->bodies.n; b++)
        cut[b] = scene->bodies.data[b].cut_cells == SN_CUT_FRACTION;
    model->fraction = SN_NEW(double, tree->n_elements + tree->n_ghost_elements);
    model->centroid = SN_NEW(float[3], tree->n_elements + tree->n_ghost_elements);
    sn_status status =
        sn_element_fractions(&model->forest, model->solid, cut, model->fraction, model->centroid);
    if (status == SN_OK)
        keep_hollow_bodies(scene, cut, model);
    sn_free(cut);
    return status;
}

sn_status sn_model_create(MPI_Comm comm, const sn_scene *scene, sn_model *model)
{
    size_t n = scene->bodies.count;
    *model = (sn_model){.mesh = SN_NEW_ZERO(sn_shared_mesh, n),
                        .asset = SN_NEW_ZERO(sn_mesh_asset *, n),
                        .report = SN_NEW_ZERO(sn_mesh_report, n),
                        .winding = SN_NEW_ZERO(sn_shared_block, n),
                        .solid = SN_NEW_ZERO(sn_solid, n),
                        .bodies = {.body = SN_NEW_ZERO(sn_body, n)}};
    sn_phase_begin("model/meshes");
    sn_status status = load_bodies(comm, scene, model);
    if (status == SN_OK)
        status = sn_require_room(comm, scene, model->report);
    for (size_t b = 0; b < n && status == SN_OK; b++)
        build_winding_tree(comm, b, model);
    sn_phase_end("model/meshes");
    sn_hierarchy_options options = {.method = scene->partition.method};
    if (status == SN_OK)
        status = sn_hierarchy_create(comm, &model->bodies, model->solid, &options, &model->forest);
    if (status == SN_OK)
        status = find_fractions(scene, model);
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
        sn_mesh_asset_free(model->asset[b]);
    }
    sn_free(model->mesh);
    sn_free(model->asset);
    sn_free(model->report);
    sn_free(model->winding);
    sn_free(model->solid);
    sn_free(model->bodies.body);
    sn_free(model->fraction);
    sn_free(model->centroid);
    *model = (sn_model){0};
}

double sn_model_volume(const sn_model *model, int body)
{
    return sn_octree_volume(&model->forest.level[0], body, model->fraction);
}
