/* The finest cell that a vertex of the surface belongs to.
 *
 *      .   |   .      A vertex between the planes of the grid is in one cell. One that lies in a
 *      ----v====      plane, up to the grid's snap, is at the border of two or more, of which some
 *      .  /|   .      may be no elements: the surface needs only cells behind it (mesh/overlap.h).
 *      . / | # .      Such a vertex goes with the first triangle that has it: a hair away from the
 *                     vertex into that triangle, and then behind it, is a cell that the triangle
 *                     needs. Who goes that way never leaves the elements.
 *
 * Vertices without a triangle are in the cell whose half-open cube [min, max) holds them. */
#ifndef SN_SURFACE_VERTEX_CELLS_H
#define SN_SURFACE_VERTEX_CELLS_H

#include "octree/surface.h"

/* Fills the cells of n vertices of a body from vertex `first` of its mesh on. */
void sn_vertex_cells(const sn_bodies *bodies, int body, const sn_solid *solid, int64_t first,
                     size_t n, sn_key *cell);

#endif
