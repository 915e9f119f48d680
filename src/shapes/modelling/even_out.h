/* Evens out the triangles of a unit sphere, and never turns one over.
 *
 * A vertex with a goal moves towards it, any other to the middle of its neighbours; but only as
 * far as its triangles stay well shaped, or at least get no worse. */
#ifndef SN_SHAPES_MODELLING_EVEN_OUT_H
#define SN_SHAPES_MODELLING_EVEN_OUT_H

#include "shapes/modelling/surface.h"

/* goal[v] is zero for a vertex without one. Vertices that no triangle uses stay. The shape of
 * triangles from number n_shaped on doesn't matter; they only must not be turned over. */
void sn_even_out(sn_surface *sphere, const sn_vec *goal, size_t n_shaped);

#endif
