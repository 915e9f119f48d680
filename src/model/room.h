/* Whether the octrees of a scene can fit into the memory of the machine, told from the areas of its
 * meshes before any of it is taken. */
#ifndef SN_MODEL_ROOM_H
#define SN_MODEL_ROOM_H

#include "io/scene/scene.h"
#include "mesh/check.h"

/* Collective. Refuses cells that surely would not fit, with the scene's line and the cells that
 * would. `report` is of each body's mesh. */
SN_CHECKED sn_status sn_require_room(MPI_Comm comm, const sn_scene *scene,
                                     const sn_mesh_report *report);

#endif
