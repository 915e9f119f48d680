#include "shot/output/frames.h"

#include "base/array.h"
#include "base/work.h"
#include "contact/pressure.h"
#include "io/frames/files.h"
#include "io/frames/meshes.h"
#include "shot/output/surface_fields.h"

static const int ALL_FIELDS = (1 << SN_FIELD_KINDS) - 1;

void sn_shot_frames_create(sn_shot *shot, const char *run_dir, sn_shot_frames *frames)
{
    const sn_scene *scene = shot->scene;
    const sn_octree *tree = &shot->model.forest.level[0];
    int n = (int)scene->bodies.count, fields = scene->output.fields;
    *frames = (sn_shot_frames){.shot = shot,
                               .scene = sn_scene_text(scene),
                               .body = SN_NEW(sn_surface_body, n),
                               .surface_fields = fields < 0 ? 0 : fields,
                               .cell_fields = fields < 0 ? ALL_FIELDS : fields};
    for (int b = 0; b < n; b++)
        frames->body[b] = (sn_surface_body){scene->bodies.data[b].name, shot->model.solid[b].mesh,
                                            shot->model.asset[b]};
    frames->surface = (sn_surface_source){.comm = tree->comm,
                                          .run_dir = run_dir,
                                          .scene = frames->scene,
                                          .first_frame = scene->frames.first,
                                          .fps = scene->frames.fps,
                                          .body = frames->body,
                                          .n_bodies = n,
                                          .vertex = shot->built.embedding.vertex,
                                          .n = shot->built.embedding.n};
    frames->surfaces = sn_frame_series_create(tree->comm, run_dir, SN_SURFACE_FRAMES);
    frames->octrees = sn_frame_series_create(tree->comm, run_dir, SN_OCTREE_FRAMES);
    if (scene->output.octree) {
        frames->element = sn_octree_elements(tree);
        sn_cells_create(tree, &frames->element, &frames->cells);
    }
}

void sn_shot_frames_free(sn_shot_frames *frames)
{
    sn_free(frames->scene);
    sn_free(frames->body);
    sn_leaves_free(&frames->element);
    sn_cells_free(&frames->cells);
    sn_frame_series_free(&frames->surfaces);
    sn_frame_series_free(&frames->octrees);
    *frames = (sn_shot_frames){0};
}

static void fill_ghosts(const sn_shot_frames *frames)
{
    sn_shot *shot = frames->shot;
    sn_octree *tree = &shot->model.forest.level[0];
    sn_field_fill_ghosts(tree, shot->state.nodes.x);
    sn_field_fill_ghosts(tree, shot->state.nodes.v);
}

/* NULL if it is not wanted. */
static double *contact_pressure(const sn_shot *shot, int kinds)
{
    if (!sn_has_field(kinds, SN_FIELD_CONTACT_PRESSURE))
        return NULL;
    size_t n = shot->built.embedding.n;
    sn_press *press = SN_NEW(sn_press, n);
    double *pressure = SN_NEW(double, n);
    sn_contacts_press(&shot->built.contacts, shot->built.surface.body, press);
    for (size_t i = 0; i < n; i++)
        pressure[i] = sn_pressure_of(press[i]);
    sn_free(press);
    return pressure;
}

/* Built-in shapes have no file: what they are made of stands for it. */
static void add_built_in(sn_shot_frames *frames)
{
    int rank;
    MPI_Comm_rank(frames->surface.comm, &rank);
    sn_mesh_asset **asset = frames->shot->model.asset;
    for (int b = 0; b < frames->surface.n_bodies && rank == 0; b++) {
        if (!asset[b])
            asset[b] = sn_mesh_asset_of(frames->body[b].mesh);
        frames->body[b].asset = asset[b];
    }
}

sn_status sn_shot_frames_begin(sn_shot_frames *frames)
{
    sn_model *model = &frames->shot->model;
    add_built_in(frames);
    sn_status status = sn_meshes_write(&frames->surface);
    for (int b = 0; b < model->bodies.n; b++)
        sn_mesh_asset_forget_polygons(model->asset[b]);
    return status;
}

sn_status sn_shot_frames_write_cells(sn_shot_frames *frames, int frame)
{
    enum { PATH_BYTES = 4096 };
    const sn_surface_source *surface = &frames->surface;
    sn_frame_about about = {frame, sn_surface_time(surface, frame), surface->fps, frames->scene};
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", surface->run_dir,
             sn_frame_file_of(SN_OCTREE_FRAMES, frame).text);
    fill_ghosts(frames);
    double *press = contact_pressure(frames->shot, frames->cell_fields);
    sn_status status =
        sn_cells_write(&frames->cells, frames->shot, path, &about, frames->cell_fields, press);
    sn_free(press);
    return status == SN_OK ? sn_frame_series_add(&frames->octrees, frame) : status;
}

sn_status sn_shot_frames_write_surface(sn_shot_frames *frames, int frame)
{
    const sn_shot *shot = frames->shot;
    int kinds = frames->surface_fields;
    if (kinds)
        fill_ghosts(frames);
    double *press = contact_pressure(shot, kinds);
    sn_field_values values = sn_surface_fields(shot, kinds, press);
    sn_frame_array array[SN_MOST_FIELD_ARRAYS];
    int n = sn_field_arrays(&values, array);
    sn_status status =
        sn_surface_write(&frames->surface, frame, (const double(*)[3])shot->built.vertex, array, n);
    sn_field_values_free(&values);
    sn_free(press);
    return status == SN_OK ? sn_frame_series_add(&frames->surfaces, frame) : status;
}

sn_status sn_shot_frames_write(sn_shot_frames *frames, int frame)
{
    const sn_scene *scene = frames->shot->scene;
    if ((frame - scene->frames.first) % scene->output.every != 0)
        return SN_OK;
    sn_work_begin(SN_WORK_OUTPUT);
    sn_status status = scene->output.octree ? sn_shot_frames_write_cells(frames, frame) : SN_OK;
    if (status == SN_OK)
        status = sn_shot_frames_write_surface(frames, frame);
    sn_work_end();
    return status;
}
