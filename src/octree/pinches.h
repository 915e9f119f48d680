/* Pinches: places where leaves touch at an edge or a corner only, with nothing between them that
 * joins them. Two nodes are there, one for each side.
 *
 *      +---+              Whether there is a pinch at a place follows from which of the eight cells
 *      |###|              around it are taken, so leaves become bits, in blocks of 8 x 8 x 8 of the
 *      +---p---+          smallest ones, and whole rows of bits are looked at at once. Leaves that
 *          |###|          are larger than a block are bits of larger blocks; what has smaller ones
 *          +---+          beside it has been seen by then.   */
#ifndef SN_OCTREE_PINCHES_H
#define SN_OCTREE_PINCHES_H

#include "octree/bonds.h"

typedef SN_VECTOR(sn_key) sn_place_list;

/* Not collective. Appends the pinches among the leaves around, in bodies that are not welded; in
 * any order, and some of them twice. Only those that this rank's leaves touch are sure. */
void sn_pinches_find(const sn_bonds *bonds, const sn_bodies *bodies, sn_place_list *places);

#endif
