/* From a reader's vertices and polygons to a mesh.
 *
 * What all mesh formats have in common: coordinates must be finite, indices in range, counts
 * below 2^31; polygons become triangles and faces without three different corners are left
 * out and counted. Messages name the file and the place in it. A reader calls
 *
 *     sn_mesh_builder builder = sn_mesh_builder_open(name, SN_PLACE_LINE, first_index);
 *     sn_mesh_builder_vertex(&builder, line, xyz);        for each vertex
 *     sn_mesh_builder_face(&builder, line);               for each face, then
 *     sn_mesh_builder_corner(&builder, line, vertex);     for each of its corners, and perhaps
 *     sn_mesh_builder_uv_corner(&builder, uv);            where that is in the texture
 *     sn_mesh_builder_finish(&builder, status, &mesh);    always, even after a failure
 *
 * A face may come before the vertices and uvs that it uses. The mesh has its asset: the vertices
 * and polygons as they came in. */
#ifndef SN_IO_MESH_BUILDER_H
#define SN_IO_MESH_BUILDER_H

#include "base/array.h"
#include "base/status.h"
#include "mesh/mesh.h"

#include <stdbool.h>

typedef enum { SN_PLACE_NONE, SN_PLACE_LINE, SN_PLACE_BYTE } sn_place_kind;

typedef double sn_point[3];
typedef double sn_uv[2];

typedef struct {
    int64_t place;
    size_t first_corner;
} sn_builder_face;

typedef struct {
    const char *name;
    sn_place_kind place_kind;
    int first_index; /* what the file calls its first vertex: 0 or 1 */
    SN_VECTOR(sn_point) vertex;
    SN_VECTOR(sn_builder_face) face;
    SN_VECTOR(int32_t) corner; /* from 0 */
    SN_VECTOR(sn_uv) uv;
    SN_VECTOR(int32_t) uv_corner; /* from 0, -1: none; where it is shorter than `corner`, too */
    /* Once it is welded, if the vertices are the file's own: these, and their corners. */
    size_t n_split_vertices;
    int32_t *point, *split_corner;
} sn_mesh_builder;

sn_mesh_builder sn_mesh_builder_open(const char *name, sn_place_kind kind, int first_index);

SN_CHECKED sn_status sn_mesh_builder_vertex(sn_mesh_builder *builder, int64_t place,
                                            const double xyz[3]);
SN_CHECKED sn_status sn_mesh_builder_face(sn_mesh_builder *builder, int64_t place);
/* `vertex` is the file's own number. */
SN_CHECKED sn_status sn_mesh_builder_corner(sn_mesh_builder *builder, int64_t place,
                                            int64_t vertex);

/* A place in the texture, with v upwards; one that is not finite becomes 0. */
void sn_mesh_builder_uv(sn_mesh_builder *builder, const double uv[2]);
/* Of the last corner; from 0. One that is never there counts as none. */
void sn_mesh_builder_uv_corner(sn_mesh_builder *builder, int64_t uv);

/* Of the last face's corners, which have the uvs from this one on. */
void sn_mesh_builder_uv_face(sn_mesh_builder *builder, size_t first_uv);
/* Of all corners: that with the number of their vertex. */
void sn_mesh_builder_uv_vertices(sn_mesh_builder *builder);

/* Makes vertices at exactly the same position one, in the order of their first appearance. The
 * asset has them as they were, or, of a format that has only positions of corners, the welded ones.
 */
void sn_mesh_builder_weld_split(sn_mesh_builder *builder);
void sn_mesh_builder_weld_corners(sn_mesh_builder *builder);

/* Hands over the mesh if `status` is SN_OK and all is well, and frees the builder in any case.
 * Fails for a mesh without faces. */
SN_CHECKED sn_status sn_mesh_builder_finish(sn_mesh_builder *builder, sn_status status,
                                            sn_mesh *mesh);

/* "file.obj:12" or "file.ply: byte 340" for messages. */
enum { SN_MESH_FILE_PLACE_BYTES = 512 };
typedef struct {
    char text[SN_MESH_FILE_PLACE_BYTES];
} sn_mesh_file_place;
sn_mesh_file_place sn_mesh_builder_place(const sn_mesh_builder *builder, int64_t place);

#endif
