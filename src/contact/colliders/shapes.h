/* The surfaces of box, sphere, capsule, cylinder and half space: nearest points and crossings.
 *
 * Knows the shapes of a scene as solids with a surface, in their own rest frame; colliders.h
 * moves points there and back. Everything is in closed form in double precision, and defined for
 * every point: where several surface points are equally near (the centre of a sphere, the axis of
 * a cylinder, the middle of a box) one is chosen by a fixed rule, so that the answer depends on
 * the shape and the point alone.
 *
 *            normal ^        The distance is negative inside. The normal points out of the shape
 *       ------------+-----   at the nearest point, and along the line to the point asked for
 *        inside   at|        wherever that line has a length. An inverted shape has the same
 *                   x p      surface, with distance and normal turned around. */
#ifndef SN_CONTACT_COLLIDERS_SHAPES_H
#define SN_CONTACT_COLLIDERS_SHAPES_H

#include "base/vec3.h"
#include "region/settings.h"

#include <stdint.h>

typedef struct {
    sn_vec at, normal; /* the normal has length 1 */
    double distance;
    int32_t triangle; /* of a mesh that it lies on; -1: none */
    double radius;    /* of what is round there, negative inside of it; 0: flat, or an edge */
    sn_vec axis;      /* around which; 0: a ball */
} sn_surface_point;

/* Of any kind but MESH and NONE. */
sn_surface_point sn_shape_nearest(const sn_shape *shape, sn_vec p);

/* Whether the straight way from a point outside enters the shape, and where it does so first; also
 * if it leaves again. A way that starts inside, or only grazes, does not enter. */
bool sn_shape_enter(const sn_shape *shape, sn_vec from, sn_vec to, sn_surface_point *entry);

/* A unit vector at right angles to `axis`, always the same one. */
sn_vec sn_vec_across(sn_vec axis);

#endif
