/* A triangle surface while a generator builds it.
 *
 * Knows how vertices and triangles are collected and become an sn_mesh; it doesn't check what
 * is pushed. Triangles run counter-clockwise as seen from outside. */
#ifndef SN_SHAPES_MODELLING_SURFACE_H
#define SN_SHAPES_MODELLING_SURFACE_H

#include "base/vec3.h"
#include "mesh/mesh.h"

typedef struct {
    int32_t corner[3];
} sn_corners;

typedef struct {
    SN_VECTOR(sn_vec) vertices;
    SN_VECTOR(sn_corners) triangles;
} sn_surface;

/* The index of the new vertex. */
int32_t sn_surface_vertex(sn_surface *surface, sn_vec position);
void sn_surface_triangle(sn_surface *surface, int32_t a, int32_t b, int32_t c);

/* A quadrilateral a b c d, cut along its shorter diagonal. */
void sn_surface_quad(sn_surface *surface, int32_t a, int32_t b, int32_t c, int32_t d);

/* Takes the contents of the surface, which is empty afterwards; the mesh is the caller's. */
void sn_surface_to_mesh(sn_surface *surface, sn_mesh *mesh);

#endif
