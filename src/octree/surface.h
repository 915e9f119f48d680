/* From triangles to the finest cells that they pass through (section 6 of the paper).
 *
 * The triangles of each body are shared out over the ranks by the number of cells they are
 * likely to meet; each rank rasterises its own, and a parallel sort brings the cells together
 * along the curve, each once. Cells that the surface only touches from outside are left out, so
 * that a face in a plane of the grid has one layer of cells, not two (mesh/overlap.h). */
#ifndef SN_OCTREE_SURFACE_H
#define SN_OCTREE_SURFACE_H

#include "mesh/mesh.h"
#include "mesh/winding/winding.h"
#include "octree/body.h"
#include "partition/owners.h"

#include <math.h>
#include <mpi.h>

/* The shape of one body: its mesh, held once a node, and how to tell inside from outside. */
typedef struct {
    const sn_mesh *mesh;
    const sn_winding_tree *winding;
    bool closed;     /* every directed edge is met by its opposite: winding numbers are whole */
    bool inside_out; /* normals point inward, on the whole */
} sn_solid;

/* Inside is where the surface winds around a point at least half a time, in either sense: an
 * inside-out mesh is as welcome as any. */
static inline bool sn_is_inside(double winding)
{
    return fabs(winding) > 0.5;
}

/* This rank's share of a mesh's triangles: consecutive ones, `from` and before `to`, that meet
 * about as many cells as those of any other. */
void sn_surface_share(MPI_Comm comm, const sn_mesh *mesh, double cell, int64_t *from, int64_t *to);

/* Collective. This rank's cells, ascending, their number in *n, and who owns which. */
sn_key *sn_surface_cells(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids, size_t *n,
                         sn_owners *owners);

#endif
