/* The cells of an octree frame as a mesh: the faces that no other cell shares. */
#ifndef SN_RENDER_CELL_MESH_H
#define SN_RENDER_CELL_MESH_H

#include "io/frames/octree_read.h"
#include "mesh/mesh.h"

#include <stdbool.h>

/* A vertex for each corner of a face, so that faces are flat and have their own cell's value.
 * `value` has one for each cell, or point; the vertices' are freed by the caller, as the mesh. */
void sn_cell_mesh(const sn_octree_frame *frame, const float *value, bool of_points, sn_mesh *mesh,
                  float **vertex_value);

#endif
