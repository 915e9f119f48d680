/* Do two triangles pass through each other within a cell? Then what they bound overlaps.
 *
 * By more than the snap may have done: each has corners on both sides of the other's plane, farther
 * from it than that. In double precision: it is the cell's own business, and no neighbour has to
 * agree. */
#ifndef SN_MESH_PARTS_THROUGH_H
#define SN_MESH_PARTS_THROUGH_H

#include "mesh/parts/cell.h"

bool sn_triangles_pass_through(const sn_part_cell *cell, int32_t a, int32_t b);

#endif
