/* Skins of glTF files: which nodes are joints, and where each of them rests.
 *
 * A skin has for each joint a matrix that takes vertices, as they are written, to the joint's own
 * coordinates: the inverse of where the joint was when the mesh was bound to it. That leaves open
 * where the mesh stands in the scene. Here it stands where its topmost joint has it when nothing
 * moves (glTF 2.0, 3.7.3.1: the node that shows a skinned mesh does not place it). */
#ifndef SN_IO_GLTF_SKIN_H
#define SN_IO_GLTF_SKIN_H

#include "io/gltf/nodes.h"

typedef struct {
    size_t n;
    int *joint;      /* places in the list of nodes */
    sn_affine *rest; /* where each one's coordinates are, in the scene, in the pose of the mesh */
    sn_affine place; /* from vertices as they are written to the scene */
} sn_gltf_skin;

/* The one of this name or, without a name, the only one. */
SN_CHECKED sn_status sn_gltf_choose_skin(const sn_gltf *gltf, const char *name, size_t *index);

SN_CHECKED sn_status sn_gltf_read_skin(sn_gltf *gltf, const sn_gltf_nodes *nodes, size_t index,
                                       sn_gltf_skin *skin);
void sn_gltf_skin_free(sn_gltf_skin *skin);

#endif
