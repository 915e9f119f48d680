/* A triangle mesh as it came in: the file's vertices in the file's order, or, where the format
 * splits vertices at seams, its points in the order of their first appearance.
 *
 * Faces with more than three corners are triangulated; `face` remembers which face of the
 * file a triangle came from (counted from 1), so that reports can name it. */
#ifndef SN_MESH_MESH_H
#define SN_MESH_MESH_H

#include "base/array.h"
#include "mesh/asset.h"

#include <stdint.h>

typedef struct sn_mesh {
    int64_t n_vertices, n_triangles;
    double (*vertex)[3];
    int32_t (*triangle)[3]; /* indices into vertex, from 0 */
    int32_t *face;          /* face number in the file, from 1, ascending */
    /* Faces of the file that gave no triangle: fewer than three of their corners differ. */
    int64_t n_empty_faces;
    int32_t first_empty_face; /* 0 if there is none */
    sn_mesh_asset *asset;     /* as the file has it; NULL: there is no file, or nobody asks */
} sn_mesh;

void sn_mesh_free(sn_mesh *mesh);

typedef struct {
    double min[3], max[3];
} sn_box;

/* The bounding box of the vertices that triangles use; empty (min > max) without triangles. */
sn_box sn_mesh_bounds(const sn_mesh *mesh);

/* The signed volume that the triangles enclose: positive when their normals point out. */
double sn_mesh_volume(const sn_mesh *mesh);

#endif
