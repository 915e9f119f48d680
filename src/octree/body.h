/* Bodies and their root cubes.
 *
 * Each body has its own grid of finest cells, of which its octree's root cube is the smallest
 * power of two that spans it. The grid is laid so that the mesh is in the middle of it. Where the
 * mesh spans a whole number of cells its faces lie in the outermost planes, so that they cut no
 * cell; they may stick out by rounding, and no cell outside is ever asked for. */
#ifndef SN_OCTREE_BODY_H
#define SN_OCTREE_BODY_H

#include "base/status.h"
#include "curve/octant.h"
#include "mesh/mesh.h"

typedef struct {
    const char *name;    /* for messages, of whoever gave it; NULL: none */
    double origin[3];    /* of the grid, in scene units */
    double cell;         /* edge of a finest cell */
    int32_t cells[3];    /* extent of the grid */
    uint8_t root_height; /* the root cube spans 2^root_height cells */
    uint8_t max_height;  /* no element of any level is larger */
    uint8_t coarsest;    /* no element of the finest level is larger */
    bool welded;         /* parts that share a cell are joined, as all that touches (bonds.h) */
} sn_body;

typedef struct {
    int n;
    sn_body *body;
} sn_bodies;

/* Are all of them? */
bool sn_bodies_are_welded(const sn_bodies *bodies);

/* The height of the family that holds everything: one above the root, so that the root can be
 * a leaf; with 2^16 cells the root itself, which is too large to be an element. */
static inline int sn_body_top(const sn_body *body)
{
    return body->root_height < SN_MAX_ROOT_HEIGHT ? body->root_height + 1 : SN_MAX_ROOT_HEIGHT;
}

/* How far from the origin a body may be: the farther, the coarser are numbers, and there they still
 * tell a millionth of a cell. */
double sn_body_reach(double cell);

/* Lays the grid of a body around its mesh. `coarsest` is the largest edge allowed on the
 * finest level, or 0 for no limit. Fails when the cell is larger than the mesh, or so small
 * that a 16-bit grid can't span it, or that numbers are too coarse where the mesh is; the message
 * starts with `what`. The body is not welded. */
SN_CHECKED sn_status sn_body_place(const char *what, const sn_box *bounds, double cell,
                                   double coarsest, sn_body *body);

#endif
