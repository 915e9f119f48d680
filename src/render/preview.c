#include "render/preview.h"

#include "io/png.h"

static const sn_background PAPER = {{0xf7, 0xf8, 0xfa}, {0xd5, 0xdb, 0xe2}};
static const sn_colour FLESH = {0xd6, 0xa8, 0x8f};
static const double FIELD_OF_VIEW = 28;                    /* degrees */
static const double THREE_QUARTERS[3] = {0.75, 0.35, 1.0}; /* from above and in front */
static const double UP[3] = {0, 1, 0};
static const double ROOM = 0.25; /* on each side, of the box's edge there */

sn_preview sn_preview_of(sn_box box, int width, int height)
{
    for (int d = 0; d < 3; d++) {
        double room = ROOM * (box.max[d] - box.min[d]);
        box.min[d] -= room;
        box.max[d] += room;
    }
    double aspect = (double)width / height;
    return (sn_preview){width, height,
                        sn_camera_frame(box, THREE_QUARTERS, UP, FIELD_OF_VIEW, aspect)};
}

static void add_surfaces(MPI_Comm comm, const sn_deformed *deformed, sn_picture *picture)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    sn_mesh_look look = {.colour = FLESH};
    for (int b = 0; b < deformed->embedding->tree->bodies->n; b++) {
        const sn_mesh *mesh = &deformed->body[b];
        int64_t from = mesh->n_triangles * rank / size, to = mesh->n_triangles * (rank + 1) / size;
        sn_picture_add_mesh(picture, mesh, from, to - from, &look);
    }
}

sn_status sn_preview_draw(const sn_preview *preview, const sn_deformed *deformed, const char *path)
{
    MPI_Comm comm = deformed->embedding->tree->comm;
    sn_picture *picture =
        sn_picture_create(preview->width, preview->height, &preview->camera, PAPER);
    add_surfaces(comm, deformed, picture);
    sn_image image = {0};
    sn_status status = sn_picture_draw(picture, comm, &image);
    if (status == SN_OK) {
        if (image.rgba) /* on rank 0 */
            status = sn_png_write(path, image.width, image.height, image.rgba);
        status = sn_agree(comm, status);
    }
    sn_image_free(&image);
    sn_picture_free(picture);
    return status;
}
