/* How much of each finest cell on the surface is inside, and where, from the triangles themselves.
 *
 *      |       |     The winding number at a point is the number of times that the surface is
 *      |  1/   |     crossed on the way straight up, with signs. So the integral of it over a cell
 *      |--/----|     is what its own pieces of the surface have beneath them (mesh/pieces.h), plus
 *      | / 1/2 |     the shadows of all pieces above, through the whole height of the cell. Nothing
 *      |/------|     is sampled, no point has to be classified, and a face that touches the
 *      |   0   |     surface or lies in it makes no difference. Moments add up the same way.
 *
 * Cells of a column that stand on each other and have surface are a run. Between runs the winding
 * number is whole. In a closed mesh it is what the runs above add up to; in an open one it is asked
 * for at the cell above the run and below it. A run is clean if what comes out beneath it is what
 * must come out, and if nothing in it is outside of 0 to 1, or of 0 to -1 where the surface is
 * inside out. In other runs there is a hole, or parts overlap: their cells are left to others.
 *
 * Areas and moments are added as whole numbers of 2^-40: the same bits in any order. Columns are
 * dealt out to the ranks; no rank sees the whole surface. */
#ifndef SN_OCTREE_COLUMNS_H
#define SN_OCTREE_COLUMNS_H

#include "octree/surface.h"

/* A finest cell that a triangle passes through or touches. */
typedef struct {
    sn_key key;
    double fraction; /* NAN: not clean */
    double
        centroid[3]; /* of the part that is inside, from the cell's centre in halves of its edge */
} sn_cell_fraction;

/* Collective. Cells of the bodies for which `wanted` is true, each on one rank, but on any. Their
 * number in *n; the caller frees them. */
sn_cell_fraction *sn_column_fractions(MPI_Comm comm, const sn_bodies *bodies,
                                      const sn_solid *solids, const bool *wanted, size_t *n);

#endif
