/* Winding trees that all ranks of a node share. */
#ifndef SN_MESH_WINDING_SHARED_H
#define SN_MESH_WINDING_SHARED_H

#include "base/shared.h"
#include "mesh/winding/winding.h"

/* Collective. The tree lies in the block, which the caller frees; the mesh may go away. */
const sn_winding_tree *sn_winding_tree_share(MPI_Comm comm, const sn_mesh *mesh,
                                             sn_shared_block *block);

#endif
