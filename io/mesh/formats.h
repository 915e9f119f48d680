/* The readers behind sn_mesh_read, one for each format.
 *
 * Those that take text read from memory: `bytes` bytes of a whole file, followed by one zero
 * byte, whatever they contain. `name` is what messages call the file. On failure the mesh is
 * empty and nothing needs freeing. Serial. */
#ifndef SN_IO_MESH_FORMATS_H
#define SN_IO_MESH_FORMATS_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <stddef.h>

/* Wavefront OBJ: v, vt and f; everything else is ignored. Vertices in the file's order. */
SN_CHECKED sn_status sn_mesh_parse_obj(const char *text, size_t bytes, const char *name,
                                       sn_mesh *mesh);

/* Stanford PLY, ASCII and both binary orders: x, y, z of element vertex and the list
 * vertex_indices (or vertex_index) of element face; of the texture s and t (or u and v, texture_u
 * and texture_v) of vertices, or the list texcoord of faces; all else is skipped. Vertices in the
 * file's order. */
SN_CHECKED sn_status sn_mesh_parse_ply(const char *text, size_t bytes, const char *name,
                                       sn_mesh *mesh);

/* STL, ASCII and binary. The format has no shared vertices: exactly equal corners become one
 * vertex, numbered by first appearance. */
SN_CHECKED sn_status sn_mesh_parse_stl(const char *text, size_t bytes, const char *name,
                                       sn_mesh *mesh);

/* glTF 2, .gltf and .glb (io/gltf/gltf.h): all meshes of the scene in the order of its nodes, each
 * moved by its node's transform; no skin, morph target or animation is applied. The format splits
 * vertices at seams: exactly equal positions become one vertex, numbered by first appearance; the
 * asset has all of them, in the order of the nodes, their primitives, and the rows of their
 * positions, with TEXCOORD_0. Face numbers count through the meshes. */
SN_CHECKED sn_status sn_mesh_read_gltf(const char *path, sn_mesh *mesh);

/* Whatever else Assimp reads (FBX, Collada, OFF, ...), in the same way. Of formats whose vertices
 * Assimp makes into one for each corner (FBX, Collada) the asset has them welded. */
SN_CHECKED sn_status sn_mesh_read_assimp(const char *path, sn_mesh *mesh);

#endif
