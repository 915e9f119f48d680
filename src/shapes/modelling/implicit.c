#include "shapes/modelling/implicit.h"

/* In the half plane through the axis: the point at height `along` and distance `out` from it.
 * Moving along the slope of the cone, every point has its nearest ball on the axis. */
double sn_round_cone(sn_vec at, sn_vec a, double radius_a, sn_vec b, double radius_b)
{
    sn_vec axis = sn_vec_sub(b, a), offset = sn_vec_sub(at, a);
    double length = sn_vec_length(axis);
    if (length <= fabs(radius_a - radius_b)) /* one ball holds the other */
        return radius_a > radius_b ? sn_vec_length(offset) - radius_a
                                   : sn_vec_length(sn_vec_sub(at, b)) - radius_b;
    double along = sn_vec_dot(offset, axis) / length;
    double out = sqrt(fmax(0, sn_vec_dot(offset, offset) - along * along));
    double lean = (radius_a - radius_b) / length; /* sine of the cone's half angle */
    double centre = along - out * lean / sqrt(1 - lean * lean);
    centre = fmin(length, fmax(0, centre));
    double radius = radius_a - lean * centre;
    return hypot(along - centre, out) - radius;
}

double sn_ellipsoid_value(sn_vec at, const sn_ellipsoid *ellipsoid)
{
    sn_vec p = sn_vec_sub(at, ellipsoid->centre), r = ellipsoid->half_axes;
    p = (sn_vec){ellipsoid->cosine * p.x + ellipsoid->sine * p.y,
                 ellipsoid->cosine * p.y - ellipsoid->sine * p.x, p.z};
    sn_vec q = {p.x / r.x, p.y / r.y, p.z / r.z};
    sn_vec s = {q.x / r.x, q.y / r.y, q.z / r.z};
    double level = sn_vec_length(q), slope = sn_vec_length(s);
    double shortest = fmin(r.x, fmin(r.y, r.z));
    /* level - 1 is zero on the surface and has the gradient s / level: to first order the
     * distance is their quotient. Near the centre it has no meaning, and needs none. */
    return slope > 0 ? fmax(level * (level - 1) / slope, -shortest) : -shortest;
}

/* A parabola of the difference, which vanishes with its slope when it reaches `width`. */
static double rounding(double a, double b, double width)
{
    double overlap = fmax(0, width - fabs(a - b));
    return width > 0 ? overlap * overlap / (4 * width) : 0;
}

double sn_blend_union(double a, double b, double width)
{
    return fmin(a, b) - rounding(a, b, width);
}

double sn_blend_cut(double a, double b, double width)
{
    return fmax(a, -b) + rounding(a, -b, width);
}
