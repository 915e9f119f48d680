#include "model/load.h"

#include <limits.h>

sn_status sn_load_fail(const sn_scene *scene, const char *key_path, sn_status status)
{
    char complaint[1024];
    snprintf(complaint, sizeof complaint, "%s", sn_failure_message());
    sn_status as_input = sn_scene_fail(scene, key_path, "%s", complaint);
    return status == SN_MACHINE ? status : as_input; /* a failing disk is not the scene's fault */
}

sn_status sn_load_mesh(MPI_Comm comm, const sn_scene *scene, const char *key_path, const char *name,
                       const sn_placement *place, sn_shared_mesh *mesh, sn_mesh_report *report)
{
    char path[PATH_MAX];
    SN_TRY(sn_scene_path(scene, name, path, sizeof path));
    sn_status status = sn_mesh_load(comm, path, place, mesh, report);
    return status == SN_OK ? SN_OK : sn_load_fail(scene, key_path, status);
}

const sn_winding_tree *sn_load_winding_tree(MPI_Comm comm, const sn_mesh *mesh,
                                            sn_shared_block *block)
{
    void *tree = sn_shared_block_create(comm, sn_winding_tree_bytes(mesh->n_triangles), block);
    if (block->is_leader)
        sn_winding_tree_build(mesh, tree);
    sn_shared_block_fence(block);
    return tree;
}
