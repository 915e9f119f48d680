/* The plain solids: boxes and spheres, evenly tessellated, closed, with shared vertices.
 *
 * Hides the numbering of the lattice points on a box's surface. The sphere is a cube whose
 * squares are blown up to nearly equal size. */
#ifndef SN_SHAPES_SOLIDS_H
#define SN_SHAPES_SOLIDS_H

#include "shapes/modelling/surface.h"

/* The box from `low` to `high`; its longest edge is cut into `detail` squares, the others into
 * as many as fit best. */
void sn_make_box(sn_vec low, sn_vec high, int detail, sn_surface *surface);

/* Around the origin; `detail` squares along each of the twelve edges of the cube it comes from. */
void sn_make_sphere(double radius, int detail, sn_surface *surface);

/* Around the line from a to b: with round ends of so many rings or, with none, flat ones. */
void sn_make_round(sn_vec a, sn_vec b, double radius, int sectors, int cap_rings,
                   sn_surface *surface);

#endif
