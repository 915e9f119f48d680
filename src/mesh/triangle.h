/* One triangle and a point: the nearest place on it, and when a moving point meets a moving one. */
#ifndef SN_MESH_TRIANGLE_H
#define SN_MESH_TRIANGLE_H

#include "base/vec3.h"

/* Weights of the triangle's corners, which add up to 1. On an edge one of them is exactly 0, on a
 * corner two are. A triangle without area is taken as its edges. */
typedef struct {
    double of[3];
} sn_weights;

sn_weights sn_triangle_nearest(const sn_vec corner[3], sn_vec p);
sn_vec sn_triangle_point(const sn_vec corner[3], sn_weights weights);

/* As long as twice the area. */
sn_vec sn_triangle_normal(const sn_vec corner[3]);

/* The angle, up to a whole turn, that the triangle fills around a place on it. */
double sn_triangle_angle(const sn_vec corner[3], sn_weights place);

/* While corners and point go straight from one place to another in a unit of time, the first time
 * at which the point passes through the triangle against `side` times its normal. A hair beyond
 * the edges counts, so that nothing slips between two triangles. */
bool sn_triangle_passed(const sn_vec before[3], const sn_vec after[3], sn_vec from, sn_vec to,
                        double side, double *time, sn_weights *weights);

#endif
