/* The nodes of a glTF file's scene: what hangs on what, and how each stands to its parent.
 *
 * Nodes come after their parents, children in the file's order, a whole branch before the next. A
 * node hangs in one place only, and a hierarchy has at most SN_GLTF_MOST_LEVELS levels. */
#ifndef SN_IO_GLTF_NODES_H
#define SN_IO_GLTF_NODES_H

#include "base/affine.h"
#include "io/gltf/gltf.h"

/* A pose is a product over all levels: a rig has a few dozen of them, and this many are quick. */
enum { SN_GLTF_MOST_LEVELS = 1000 };

typedef struct {
    size_t index;    /* among the file's nodes */
    int parent;      /* in this list, before it; or -1 */
    sn_affine local; /* relative to the parent */
} sn_gltf_node;

typedef SN_VECTOR(sn_gltf_node) sn_gltf_nodes;

/* Those of the file's scene, or of its first. The list must be empty; the caller frees it, after a
 * failure too. */
SN_CHECKED sn_status sn_gltf_list_nodes(const sn_gltf *gltf, sn_gltf_nodes *nodes);

/* The object of the node, and what it is called: its name or, without one, nodes[index]. */
SN_CHECKED sn_status sn_gltf_node_object(const sn_gltf *gltf, size_t index, sn_gltf_object *object);
const char *sn_gltf_node_name(const sn_gltf_object *object);

#endif
