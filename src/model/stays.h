/* Stays: springs that hold the nodes of slivers.
 *
 *      n . . . . . .     n is a corner of slivers alone. They hold it by the little that is inside
 *      : s   : s   :     of them, and whatever pushes hard on their surface would turn them inside
 *      a ----+---- +     out. A stay ties n to the place where r, if it were larger, would carry
 *      |  r  |     |     it. r is the fullest element at a, and a is the nearest other corner of
 *      |     |     |     n's slivers that has a full one; here n is held at 2 a - b.
 *      b ----+---- +
 *
 * A stay is not strained by any motion of r that is trilinear: stretch, shear and bending across
 * the surface go on into n. So a body is not stiffer by it in these, as it would be if slivers had
 * more material; what is left is of a higher order in the size of cells. It turns with the body,
 * and its forces add up to nothing, nor do they turn anything. This is the penalty form of what is
 * known as aggregation of badly cut cells (Badia, Verdugo and Martin 2018) and close to a ghost
 * penalty (Burman 2010), here by springs, so that products, diagonals and coarser levels have it
 * without knowing of it.
 *
 * How hard it is fades with how full n's fullest element is, so that nothing jumps when a body is
 * laid into the grid at another place, and with how empty r is. Nodes that have no full element
 * within reach, as in the points of spikes that are thinner than cells, have no stay. */
#ifndef SN_MODEL_STAYS_H
#define SN_MODEL_STAYS_H

#include "system/system.h"

/* Elements of which so much is inside are full: they hold their nodes by themselves. */
#define SN_FULL_FRACTION 0.3

/* Of Young's modulus times the edge of a cell: a stay's stiffness where slivers hold nothing.
 * Bodies that fall into a bowl took 1110 of Newton's iterations in 20 frames without stays, and did
 * not converge in seven of them; with 0.05, 0.1 and 0.2 all converged, in about half as many. Beams
 * two cells thick that are turned in the grid sag by 1.02 of the theory without, and by 0.99, 0.97
 * and 0.96 with these. */
#define SN_STAY_STIFFNESS 0.05

/* Collective. Puts the stays of a level into a slot of its system. Fractions (octree/fraction.h)
 * and Young's moduli are those of all local elements. After a failure the slot is empty. */
SN_CHECKED sn_status sn_stays_tie(sn_system *system, int slot, const double *fraction,
                                  const double *young);

#endif
