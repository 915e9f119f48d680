/* A mesh as its file has it: what a program that has the file expects back.
 *
 * The mesh that is simulated has triangles, and one vertex where a file has several at one place
 * because of a seam of texture or normals. Its asset has the file's own vertices, and which of the
 * mesh's each of them is; the file's polygons; and where their corners lie in the texture. */
#ifndef SN_MESH_ASSET_H
#define SN_MESH_ASSET_H

#include <stdint.h>

typedef struct {
    int64_t n_vertices;
    int32_t *point; /* which of the mesh's each vertex is; NULL: the one of the same number */
    int64_t n_polygons, n_corners;
    int64_t *first_corner; /* n_polygons + 1 */
    int32_t *corner;       /* vertices of the asset */
    int64_t n_uvs;         /* 0: nothing is said of textures */
    double (*uv)[2];       /* v goes up, as in OBJ and USD */
    int32_t *uv_corner;    /* of each corner, -1: none; NULL if there are no uvs */
} sn_mesh_asset;

/* Of a mesh without a file: its triangles. */
struct sn_mesh;
sn_mesh_asset *sn_mesh_asset_of(const struct sn_mesh *mesh);

/* NULL is fine, as it is for all below. */
void sn_mesh_asset_free(sn_mesh_asset *asset);

/* Leaves only n_vertices and `point`. */
void sn_mesh_asset_forget_polygons(sn_mesh_asset *asset);

#endif
