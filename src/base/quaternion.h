/* Unit quaternions: turns that can be joined smoothly. */
#ifndef SN_BASE_QUATERNION_H
#define SN_BASE_QUATERNION_H

#include "base/vec3.h"

typedef struct {
    double w;
    sn_vec v;
} sn_quaternion;

/* By an angle about an axis of unit length, right-handed. Whole turns leave nothing behind. */
sn_quaternion sn_quaternion_by(sn_vec axis, double degrees);

/* First b, then a. */
sn_quaternion sn_quaternion_after(sn_quaternion a, sn_quaternion b);

/* A vector, turned. */
sn_vec sn_quaternion_turn(sn_quaternion q, sn_vec v);

sn_quaternion sn_quaternion_unit(sn_quaternion q);

/* The shortest way from a (t = 0) to b (t = 1), at constant speed. */
sn_quaternion sn_quaternion_slerp(sn_quaternion a, sn_quaternion b, double t);

#endif
