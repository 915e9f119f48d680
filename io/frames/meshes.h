/* The meshes of a run as their files have them: meshes.hdf5 in the run directory.
 *
 * Frames have the points that were simulated. A format that splits vertices at seams of texture or
 * normals (glTF) has more vertices than that, and any format may have quads, n-gons and places in a
 * texture. This file has all of it once, so that exports fit the assets that the shot began with:
 *
 *     /sinew    name           of each body
 *               vertex_point   the point that each vertex of the files is, both counted through all
 *                              bodies; those of a body from first_vertex[body] on
 *               first_corner   of each polygon, and the number of corners; polygons of a body from
 *                              first_polygon[body] on
 *               corner         the vertices of the polygons
 *               uv, uv_corner  places in the texture, v upwards, and which of them each corner has,
 *                              -1: none; left out if no file has any
 *
 * vertex_point and first_vertex stand in every frame too, unless vertices and points are the same.
 */
#ifndef SN_IO_FRAMES_MESHES_H
#define SN_IO_FRAMES_MESHES_H

#include "io/frames/surface_read.h"
#include "io/frames/surface_write.h"

#define SN_MESHES_FILE "meshes.hdf5"

/* Collective. Of all bodies, whose assets must be whole on rank 0. */
SN_CHECKED sn_status sn_meshes_write(const sn_surface_source *source);

/* Collective. What a frame has of it. */
void sn_meshes_write_names(sn_h5_file *file, const sn_surface_source *source);
void sn_meshes_write_split(sn_h5_file *file, const sn_surface_source *source);

/* The file's content, checked: every number is one of something that is there. */
typedef struct {
    int n_bodies;
    char **name;
    int64_t *first_vertex, *first_polygon; /* n_bodies + 1 */
    int64_t n_vertices, n_polygons, n_uvs;
    int64_t *vertex_point, *first_corner, *corner;
    double (*uv)[2];
    int64_t *uv_corner; /* NULL: there are no uvs */
} sn_meshes;

/* Not collective. Directories of earlier versions have no such file: `exists` is false then, which
 * is no failure. After one there is nothing to free. */
SN_CHECKED sn_status sn_meshes_read(const char *run_dir, bool *exists, sn_meshes *meshes);
void sn_meshes_free(sn_meshes *meshes);

/* Makes a frame's points, faces and uvs those of the files. Fails if the meshes are not the
 * frame's. */
SN_CHECKED sn_status sn_meshes_split_frame(const sn_meshes *meshes, const char *run_dir,
                                           sn_surface_frame *frame);

#endif
