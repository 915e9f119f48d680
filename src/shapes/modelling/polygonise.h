/* From an implicit shape to an even, closed triangle mesh.
 *
 * The shape is a function that is negative inside and grows about as fast as the distance to the
 * surface. It is sampled on a grid of cubes; each cube that the surface crosses gets one vertex,
 * each crossed grid edge the quadrilateral of the four cubes around it:
 *
 *      +----+----+
 *      | .--|--. |      . vertex of a cube
 *      +-|--x--|-+      x grid edge towards the reader, inside at one end
 *      | .--|--. |
 *      +----+----+
 *
 * With one vertex a cube this is a manifold exactly when no cube is crossed by two separate
 * sheets. So samples in such cubes are moved out of the shape until none is left: what comes out
 * is two-manifold by construction, and details thinner than a cell are lost instead of torn.
 * Hidden: the culling of empty space, and the sliding of vertices along the surface that makes
 * the triangles even. */
#ifndef SN_SHAPES_MODELLING_POLYGONISE_H
#define SN_SHAPES_MODELLING_POLYGONISE_H

#include "shapes/modelling/implicit.h"
#include "shapes/modelling/surface.h"

/* `cell` is the edge of a grid cube and about the edge of a triangle. */
void sn_polygonise(const sn_implicit *implicit, double cell, sn_surface *surface);

#endif
