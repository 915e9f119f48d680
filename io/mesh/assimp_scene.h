/* Where things are in a scene of Assimp's. Internal to the child of an import (io/mesh/import.h).
 *
 * A skinned mesh stands where it was bound to its joints. FBX files say where that is: where the
 * mesh's node is. In all others the node does not count, as in glTF files (io/gltf/skin.h): it
 * stands where its topmost joint has it when nothing moves. */
#ifndef SN_IO_MESH_ASSIMP_SCENE_H
#define SN_IO_MESH_ASSIMP_SCENE_H

#include "base/affine.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>

/* NULL, and a message at sn_assimp_problem, if it cannot be read. */
const struct aiScene *sn_assimp_open(const char *path);

sn_affine sn_assimp_affine(const struct aiMatrix4x4 *matrix);

/* From the mesh's vertices to the scene, for a node that shows it and stands at `node_to_world`. */
struct aiMatrix4x4 sn_assimp_mesh_place(const char *path, const struct aiScene *scene,
                                        const struct aiMesh *mesh,
                                        const struct aiMatrix4x4 *node_to_world);

#endif
