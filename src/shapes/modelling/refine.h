/* Local refinement of a closed surface: edges that are too long are cut in half.
 *
 * Knows how to keep the triangles conforming; the caller says which edges are too long and makes
 * the vertices in their middle. Both triangles at an edge see the same answer, so the surface
 * stays closed whatever the caller wants. */
#ifndef SN_SHAPES_MODELLING_REFINE_H
#define SN_SHAPES_MODELLING_REFINE_H

#include "shapes/modelling/surface.h"

#include <stdbool.h>

typedef struct {
    void *state;
    /* Asked with both orders of the ends; must answer the same. */
    bool (*is_too_long)(const void *state, int32_t a, int32_t b);
    /* Which way to cut a quadrilateral: the smaller the better. */
    double (*length)(const void *state, int32_t a, int32_t b);
    /* Makes the vertex between a and b, and returns its index. */
    int32_t (*middle)(void *state, int32_t a, int32_t b);
} sn_refiner;

/* Halves every edge that is too long once; true if there was one. */
bool sn_refine_once(const sn_refiner *refiner, sn_surface *surface);

#endif
