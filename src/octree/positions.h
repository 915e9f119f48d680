/* Where nodes and elements rest in space: a body's origin plus whole and half cells.
 *
 * Each coordinate is one product and one sum of the same numbers on every rank, so that owned
 * and ghost copies of a point have the same bits. */
#ifndef SN_OCTREE_POSITIONS_H
#define SN_OCTREE_POSITIONS_H

#include "octree/octree.h"

/* Fills a row for each local node: n_nodes owned ones, then n_ghost_nodes. */
void sn_octree_node_positions(const sn_octree *tree, double (*position)[3]);

/* Fills a row for each local element with its centre: n_elements owned ones, then
 * n_ghost_elements. */
void sn_octree_element_centres(const sn_octree *tree, double (*centre)[3]);

#endif
