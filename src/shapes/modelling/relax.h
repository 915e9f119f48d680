/* Slides the vertices of a mesh along an implicit surface until its faces are even.
 *
 * Each vertex moves towards the mean of its neighbours, but only along the surface, and is then
 * put back onto it. Hides the step sizes. Threads share the vertices; the result does not depend
 * on how many there are. */
#ifndef SN_SHAPES_MODELLING_RELAX_H
#define SN_SHAPES_MODELLING_RELAX_H

#include "shapes/modelling/implicit.h"
#include "shapes/modelling/surface.h"

typedef struct {
    int32_t corner[4];
} sn_quad;

typedef SN_VECTOR(sn_quad) sn_quads;

/* `cell` is about the edge of a face; no vertex moves further than that in one step. */
void sn_relax(const sn_implicit *implicit, double cell, const sn_quads *quads, sn_vec *vertices,
              size_t n_vertices);

#endif
