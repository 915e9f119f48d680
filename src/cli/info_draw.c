#include "cli/info.h"

#include "base/array.h"
#include "base/log.h"
#include "io/picture/png.h"
#include "render/legend.h"
#include "render/look.h"

#include <math.h>

static sn_box bounds_of(const sn_model *model)
{
    sn_box all = model->report[0].bounds;
    for (int b = 1; b < model->bodies.n; b++)
        for (int d = 0; d < 3; d++) {
            all.min[d] = fmin(all.min[d], model->report[b].bounds.min[d]);
            all.max[d] = fmax(all.max[d], model->report[b].bounds.max[d]);
        }
    return all;
}

static double aspect_of(const sn_info_pictures *wanted)
{
    return (double)wanted->width / wanted->height;
}

/* Each rank adds its part of the triangles. */
static void add_surfaces(MPI_Comm comm, const sn_model *model, bool cut, sn_picture *picture)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int b = 0; b < model->bodies.n; b++) {
        const sn_mesh *mesh = &model->mesh[b].view;
        sn_mesh_look look = {.colour = sn_body_colour(b), .cut = cut};
        int64_t from = mesh->n_triangles * rank / size, to = mesh->n_triangles * (rank + 1) / size;
        sn_picture_add_mesh(picture, mesh, from, to - from, &look);
    }
}

static void add_sections(const sn_model *model, sn_picture *picture)
{
    const sn_octree *tree = &model->forest.level[0];
    SN_VECTOR(sn_cell) cells = {0};
    for (int b = 0; b < model->bodies.n; b++) {
        const sn_body *body = &model->bodies.body[b];
        for (sn_local i = tree->body_first[b]; i < tree->body_first[b + 1]; i++) {
            sn_octant o = tree->octant[i];
            if (!o.is_element)
                continue;
            sn_cell cell = {.edge = sn_edge(o.height) * body->cell,
                            .colour = sn_level_colour(o.height)};
            for (int d = 0; d < 3; d++)
                cell.min[d] = body->origin[d] + body->cell * o.anchor[d];
            sn_push(&cells, cell);
        }
    }
    sn_picture_add_sections(picture, cells.data, (int64_t)cells.count);
    sn_vector_free(&cells);
}

typedef struct {
    int n;
    sn_legend_entry entry[SN_LEVEL_COLOURS];
} legend;

/* Cells by their edges; where bodies have several finest cells, in these. */
static legend legend_of(const sn_model *model, int heights)
{
    double cell = model->bodies.body[0].cell;
    for (int b = 1; b < model->bodies.n; b++)
        cell = model->bodies.body[b].cell == cell ? cell : 1;
    legend l = {.n = heights};
    for (int h = 0; h < heights; h++) {
        l.entry[h].colour = sn_level_colour(h);
        snprintf(l.entry[h].label, sizeof l.entry[h].label, "%.3g", cell * sn_edge(h));
    }
    return l;
}

static sn_status write_picture(MPI_Comm comm, sn_picture *picture, const char *path,
                               const legend *l)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    sn_image image = {0};
    SN_TRY(sn_picture_draw(picture, comm, &image));
    sn_status status = SN_OK;
    if (rank == 0) {
        sn_image_add_legend(&image, l->entry, l->n);
        status = sn_png_write(path, image.width, image.height, image.rgba);
    }
    sn_image_free(&image);
    SN_TRY(sn_agree(comm, status));
    sn_info("wrote %s", path);
    return SN_OK;
}

static int shortest_axis(const sn_box *box)
{
    int axis = 2; /* what is equally long is cut across z */
    for (int d = 1; d >= 0; d--)
        if (box->max[d] - box->min[d] < box->max[axis] - box->min[axis])
            axis = d;
    return axis;
}

static int tallest_element(const sn_octree *tree)
{
    int tallest = 0;
    for (sn_local i = 0; i < tree->n_octants; i++)
        if (tree->octant[i].is_element && tree->octant[i].height > tallest)
            tallest = tree->octant[i].height;
    MPI_Allreduce(MPI_IN_PLACE, &tallest, 1, MPI_INT, MPI_MAX, tree->comm);
    return tallest;
}

/* As figure 1 of the paper: the octree's cells on a plane, the far half of the surface behind. */
static sn_status draw_slice(MPI_Comm comm, const sn_model *model, const sn_info_pictures *wanted)
{
    sn_box box = bounds_of(model);
    int axis = wanted->axis >= 0 ? wanted->axis : shortest_axis(&box);
    double middle = (box.min[axis] + box.max[axis]) / 2;
    double from[3] = {0}, up[3] = {0};
    from[axis] = 1;
    up[axis == 1 ? 2 : 1] = 1;
    sn_camera camera = sn_camera_frame(box, from, up, 0, aspect_of(wanted));
    sn_picture *picture = sn_picture_create(wanted->width, wanted->height, &camera, SN_PAPER);
    sn_picture_cut(picture, axis, isnan(wanted->offset) ? middle : wanted->offset);
    add_surfaces(comm, model, true, picture);
    add_sections(model, picture);
    legend l = legend_of(model, tallest_element(&model->forest.level[0]) + 1);
    sn_status status = write_picture(comm, picture, wanted->slice_path, &l);
    sn_picture_free(picture);
    return status;
}

static sn_status draw_surface(MPI_Comm comm, const sn_scene *scene, const sn_model *model,
                              const sn_info_pictures *wanted)
{
    sn_camera camera = sn_scene_camera_for_box(scene, bounds_of(model), aspect_of(wanted));
    sn_picture *picture = sn_picture_create(wanted->width, wanted->height, &camera, SN_PAPER);
    add_surfaces(comm, model, false, picture);
    sn_status status = write_picture(comm, picture, wanted->surface_path, &(legend){0});
    sn_picture_free(picture);
    return status;
}

static sn_status check_paths(const sn_info_pictures *pictures)
{
    if (pictures->slice_path)
        SN_TRY(sn_png_check_path(pictures->slice_path));
    if (pictures->surface_path)
        SN_TRY(sn_png_check_path(pictures->surface_path));
    return SN_OK;
}

sn_status sn_info_check_pictures(MPI_Comm comm, const sn_info_pictures *pictures)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? check_paths(pictures) : SN_OK);
}

sn_status sn_info_draw(MPI_Comm comm, const sn_scene *scene, const sn_model *model,
                       const sn_info_pictures *pictures)
{
    if (pictures->slice_path)
        SN_TRY(draw_slice(comm, model, pictures));
    if (pictures->surface_path)
        SN_TRY(draw_surface(comm, scene, model, pictures));
    return SN_OK;
}
