/* Meshes that a scene names, for whatever part of the model asks for them.
 *
 * Knows how a complaint about a file becomes one about the scene's line that named it, and how
 * a winding tree comes to be held once a node. */
#ifndef SN_MODEL_LOAD_H
#define SN_MODEL_LOAD_H

#include "base/shared.h"
#include "io/mesh/load.h"
#include "io/scene/scene.h"
#include "mesh/winding/winding.h"

/* The failure that was just reported, with the place of a key of the scene in front. */
sn_status sn_load_fail(const sn_scene *scene, const char *key_path, sn_status status);

/* Collective. Loads the mesh that the scene calls `name` under `key_path` and puts it in its place;
 * as sn_mesh_load. */
SN_CHECKED sn_status sn_load_mesh(MPI_Comm comm, const sn_scene *scene, const char *key_path,
                                  const char *name, const sn_placement *place, sn_shared_mesh *mesh,
                                  sn_mesh_report *report);

/* Collective. The tree lies in the block, which the caller frees; the mesh may go away. */
const sn_winding_tree *sn_load_winding_tree(MPI_Comm comm, const sn_mesh *mesh,
                                            sn_shared_block *block);

#endif
