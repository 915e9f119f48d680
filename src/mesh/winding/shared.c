#include "mesh/winding/shared.h"

const sn_winding_tree *sn_winding_tree_share(MPI_Comm comm, const sn_mesh *mesh,
                                             sn_shared_block *block)
{
    void *tree = sn_shared_block_create(comm, sn_winding_tree_bytes(mesh->n_triangles), block);
    if (block->is_leader)
        sn_winding_tree_build(mesh, tree);
    sn_shared_block_fence(block);
    return tree;
}
