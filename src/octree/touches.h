/* Which triangles touch which finest cells, and beside which cells there are other touched ones.
 *
 *      |___|_x_|_x_|___|     Between cells that the surface touches it matters whether their common
 *      |_x_|_x_|___|___|     face is open. Beyond the other faces of a cell there is either nothing
 *      |_x_|___|___|___|     or the inside as a whole.
 *
 * Triangles are shared out over the ranks and rasterised. A cell's list comes together on a rank
 * that its key alone tells. Cells of one cube are on one rank: neighbours have most of their
 * triangles in common. */
#ifndef SN_OCTREE_TOUCHES_H
#define SN_OCTREE_TOUCHES_H

#include "octree/surface.h"

enum { SN_TOUCHES_HEIGHT = 4 }; /* of the cube */

/* By cells along the curve, and each cell's triangles ascending. */
typedef struct {
    size_t n;
    sn_key *key;
    int32_t *triangle;
} sn_touches;

/* Collective. */
sn_touches sn_touches_find(MPI_Comm comm, const sn_bodies *bodies, const sn_solid *solids);
void sn_touches_free(sn_touches *touches);

/* The rank that has a cell. */
int sn_touches_rank(sn_key cell, int size);

static inline uint64_t sn_touches_cube(sn_key cell)
{
    return cell / sn_key_span(SN_TOUCHES_HEIGHT);
}

/* The touched cells of one cube. */
typedef struct {
    uint64_t word[1 << (3 * SN_TOUCHES_HEIGHT - 6)]; /* a bit for each cell, along the curve */
} sn_touched;

/* Marks a cell; all are of one cube. */
void sn_touched_add(sn_touched *touched, sn_key cell);

/* A bit for each face of a cell, 2 * axis + side: is the cell beyond it touched, or in another
 * cube? */
uint8_t sn_touched_beyond(const sn_touched *touched, sn_key cell);

#endif
