/* What `sinew info` says about a bare mesh. */
#ifndef SN_CLI_INFO_MESH_H
#define SN_CLI_INFO_MESH_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <mpi.h>
#include <stdbool.h>

/* Is this the name of a mesh, not of a scene? By its ending. */
bool sn_info_is_mesh(const char *path);

/* Collective. Rank 0 writes to standard output. */
SN_CHECKED sn_status sn_info_mesh(MPI_Comm comm, const char *path, bool json);

/* Not collective: where a mesh, which `name` is for messages, passes through itself; nothing if it
 * does not. */
void sn_info_print_crossings(const char *name, const sn_mesh *mesh);

/* The same as members of a JSON object, with the comma before them. */
void sn_info_print_json_crossings(const sn_mesh *mesh);

#endif
