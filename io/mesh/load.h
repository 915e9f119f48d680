/* A mesh from its file to every node: read, checked, reported, shared. */
#ifndef SN_IO_MESH_LOAD_H
#define SN_IO_MESH_LOAD_H

#include "base/status.h"
#include "io/mesh/settings.h"
#include "io/schema/origin.h"
#include "mesh/check.h"
#include "mesh/shared.h"

/* Collective. Rank 0 reads the file, puts it in its place (NULL: as it is) and logs what is dirty
 * about it; meshes that enclose nothing are refused. All ranks get the same status, the view and
 * the report; after a failure there is nothing to free. */
SN_CHECKED sn_status sn_mesh_load(MPI_Comm comm, const char *path, const sn_placement *place,
                                  sn_shared_mesh *out, sn_mesh_report *report);

/* Collective. The same for a mesh that the origin's file calls `name` under `key_path`: its path is
 * relative to that file, and a failure names the line. */
SN_CHECKED sn_status sn_mesh_load_named(MPI_Comm comm, const sn_origin *origin,
                                        const char *key_path, const char *name,
                                        const sn_placement *place, sn_shared_mesh *mesh,
                                        sn_mesh_report *report);

/* Collective. The same of a mesh that is to go out again: rank 0 gets the asset, which the caller
 * frees; other ranks, and all after a failure or of a built-in shape, NULL. */
SN_CHECKED sn_status sn_mesh_load_asset(MPI_Comm comm, const sn_origin *origin,
                                        const char *key_path, const char *name,
                                        const sn_placement *place, sn_shared_mesh *mesh,
                                        sn_mesh_report *report, sn_mesh_asset **asset);

#endif
