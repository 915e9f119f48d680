/* Ways between poses: what lies between two affine maps. */
#ifndef SN_BASE_SCREW_H
#define SN_BASE_SCREW_H

#include "base/affine.h"

/* A part of the way from where a thing is to where the map takes it: turned about the map's own
 * axis, wherever that is, and shifted along it. Exactly the map at 1, and the identity at 0. A map
 * that is not rigid, to 1e-6, has its entries go linearly. */
sn_affine sn_affine_screw(const sn_affine *map, double part);

/* The mirror image of a pose in time: as far before `about` as `pose` is after it. `about` itself
 * if the pose cannot be undone. */
sn_affine sn_affine_mirrored(const sn_affine *pose, const sn_affine *about);

/* Between two places of something that hangs on something else: its origin goes straight, it turns
 * the shortest way and is stretched along its own axes; what cannot be seen so, sheared or
 * mirrored, has its entries go linearly. Exactly a at 0 and b at 1. */
sn_affine sn_affine_between(const sn_affine *a, const sn_affine *b, double part);

#endif
