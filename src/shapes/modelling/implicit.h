/* Implicit shapes and how they blend.
 *
 * A value is negative inside and about the distance to the surface near it. Knows the few solids
 * that animals are made of and the smooth union, cut and limit between them; where two blend, the
 * seam is rounded over about the width that is given, and beyond it neither changes the other. */
#ifndef SN_SHAPES_MODELLING_IMPLICIT_H
#define SN_SHAPES_MODELLING_IMPLICIT_H

#include "base/vec3.h"

typedef struct {
    double (*value)(const void *shape, sn_vec at);
    const void *shape;
    double steepness; /* no value is larger than this times the distance to the surface */
    sn_vec low, high; /* a box that holds the whole surface */
} sn_implicit;

/* Two balls and the cone that touches both. */
double sn_round_cone(sn_vec at, sn_vec a, double radius_a, sn_vec b, double radius_b);

/* Half axes along x, y and z before it is turned about z by the angle with this cosine and
 * sine. */
typedef struct {
    sn_vec centre, half_axes;
    double cosine, sine;
} sn_ellipsoid;

double sn_ellipsoid_value(sn_vec at, const sn_ellipsoid *ellipsoid);

double sn_blend_union(double a, double b, double width);

/* a without b. */
double sn_blend_cut(double a, double b, double width);

#endif
