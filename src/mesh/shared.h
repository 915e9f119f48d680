/* The input mesh, held once a node.
 *
 * One rank has read the mesh; afterwards every rank sees it through `view`, whose arrays lie
 * in the node's shared window (base/shared.h). Nobody writes to it, and sn_mesh_free must not
 * be called on it. */
#ifndef SN_MESH_SHARED_H
#define SN_MESH_SHARED_H

#include "base/shared.h"
#include "base/status.h"
#include "mesh/mesh.h"

typedef struct {
    sn_mesh view; /* read only */
    sn_shared_block block;
} sn_shared_mesh;

/* Collective. Rank 0's mesh is taken over and freed; on other ranks `root_mesh` is ignored. */
SN_CHECKED sn_status sn_shared_mesh_create(MPI_Comm comm, sn_mesh *root_mesh,
                                           sn_shared_mesh *shared);

/* The same with at most `most_ranks` ranks to a copy; see sn_shared_block_create_split. */
SN_CHECKED sn_status sn_shared_mesh_create_split(MPI_Comm comm, int most_ranks, sn_mesh *root_mesh,
                                                 sn_shared_mesh *shared);

/* Collective. */
void sn_shared_mesh_free(sn_shared_mesh *shared);

#endif
