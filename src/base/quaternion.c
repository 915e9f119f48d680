#include "base/quaternion.h"

#include "base/pi.h"

/* Quaternions nearer than this (one minus their dot product) are joined by a straight line, as
 * good as the arc to rounding and safe from dividing by a vanishing sine. */
static const double SAME_TURN = 1e-14;

sn_quaternion sn_quaternion_by(sn_vec axis, double degrees)
{
    double half = remainder(degrees, 360) * (SN_PI / 360);
    return (sn_quaternion){cos(half), sn_vec_scale(axis, sin(half))};
}

sn_quaternion sn_quaternion_after(sn_quaternion a, sn_quaternion b)
{
    sn_vec sum = sn_vec_add(sn_vec_scale(b.v, a.w), sn_vec_scale(a.v, b.w));
    return (sn_quaternion){a.w * b.w - sn_vec_dot(a.v, b.v),
                           sn_vec_add(sum, sn_vec_cross(a.v, b.v))};
}

sn_vec sn_quaternion_turn(sn_quaternion q, sn_vec v)
{
    sn_vec swung = sn_vec_add(sn_vec_cross(q.v, v), sn_vec_scale(v, q.w));
    return sn_vec_add(v, sn_vec_scale(sn_vec_cross(q.v, swung), 2));
}

static sn_quaternion combine(sn_quaternion a, double s, sn_quaternion b, double t)
{
    return (sn_quaternion){s * a.w + t * b.w,
                           sn_vec_add(sn_vec_scale(a.v, s), sn_vec_scale(b.v, t))};
}

sn_quaternion sn_quaternion_unit(sn_quaternion q)
{
    return combine(q, 1 / sqrt(q.w * q.w + sn_vec_dot(q.v, q.v)), q, 0);
}

sn_quaternion sn_quaternion_slerp(sn_quaternion a, sn_quaternion b, double t)
{
    double dot = a.w * b.w + sn_vec_dot(a.v, b.v);
    double sign = dot < 0 ? -1 : 1; /* q and -q are the same turn */
    if (1 - fabs(dot) < SAME_TURN)
        return sn_quaternion_unit(combine(a, 1 - t, b, sign * t));
    double angle = acos(fabs(dot));
    return sn_quaternion_unit(combine(a, sin((1 - t) * angle), b, sign * sin(t * angle)));
}
