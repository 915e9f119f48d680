/* Where coarse elements ask for F: at the centroid of what their children are made of.
 *
 *      +-------+      A thin part passes through a coarse element: only some children are there,
 *      |   |###|      and some of these are cut. Asked at its own centre, as if it were full of a
 *      |   | x#|      softer stuff, it bends four times as stiffly as the part, and more if that
 *      |   |###|      is in a corner. Asked at the part's centroid it bends as the part.
 *      +-------+
 *
 * With that a spike of 64 cells took 59 iterations of MGPCG and not 91, and bulky bodies as many as
 * before. */
#ifndef SN_TRANSFER_POINTS_H
#define SN_TRANSFER_POINTS_H

#include "transfer/transfer.h"

/* Collective. Points are in halves of an edge from an element's centre (elastic/operator.h). Those
 * of the fine elements, or NULL for their centres, weigh by their stiffness; of both the owned ones
 * are read. `coarser` become those of all local coarse elements, and are the caller's to free;
 * there are none after a failure. */
SN_CHECKED sn_status sn_coarsen_points(sn_transfer *transfer, const sn_octree *fine,
                                       const sn_octree *coarse, const double *stiffness,
                                       const float (*point)[3], float (**coarser)[3]);

#endif
