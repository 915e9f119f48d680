#include "render/preview.h"

#include "io/picture/png.h"
#include "render/look.h"

sn_preview sn_preview_of(const sn_scene *scene, sn_box box, int width, int height)
{
    return (sn_preview){width, height, sn_scene_camera_for_box(scene, box, (double)width / height)};
}

static void add_surfaces(MPI_Comm comm, const sn_deformed *deformed, sn_picture *picture)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int b = 0; b < deformed->embedding->tree->bodies->n; b++) {
        const sn_mesh *mesh = &deformed->body[b];
        sn_mesh_look look = {.colour = sn_body_colour(b)};
        int64_t from = mesh->n_triangles * rank / size, to = mesh->n_triangles * (rank + 1) / size;
        sn_picture_add_mesh(picture, mesh, from, to - from, &look);
    }
}

sn_status sn_preview_draw(const sn_preview *preview, const sn_deformed *deformed, const char *path)
{
    MPI_Comm comm = deformed->embedding->tree->comm;
    sn_picture *picture =
        sn_picture_create(preview->width, preview->height, &preview->camera, SN_PAPER);
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
