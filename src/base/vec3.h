/* Points and directions in space.
 *
 * Values, passed and returned as such; everything is inline. Bulk data stays in plain arrays of
 * double[3], from and to which vectors are loaded and stored. */
#ifndef SN_BASE_VEC3_H
#define SN_BASE_VEC3_H

#include <math.h>
#include <stdbool.h>

typedef struct {
    double x, y, z;
} sn_vec;

static inline sn_vec sn_vec_load(const double from[3])
{
    return (sn_vec){from[0], from[1], from[2]};
}

static inline void sn_vec_store(sn_vec a, double to[3])
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

static inline bool sn_vec_equal(sn_vec a, sn_vec b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline sn_vec sn_vec_add(sn_vec a, sn_vec b)
{
    return (sn_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline sn_vec sn_vec_sub(sn_vec a, sn_vec b)
{
    return (sn_vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline sn_vec sn_vec_scale(sn_vec a, double factor)
{
    return (sn_vec){a.x * factor, a.y * factor, a.z * factor};
}

/* a + t (b - a) */
static inline sn_vec sn_vec_between(sn_vec a, sn_vec b, double t)
{
    return sn_vec_add(a, sn_vec_scale(sn_vec_sub(b, a), t));
}

static inline double sn_vec_dot(sn_vec a, sn_vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vec sn_vec_cross(sn_vec a, sn_vec b)
{
    return (sn_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double sn_vec_length(sn_vec a)
{
    return sqrt(sn_vec_dot(a, a));
}

/* A vector without a direction stays zero. */
static inline sn_vec sn_vec_unit(sn_vec a)
{
    double length = sn_vec_length(a);
    return length > 0 ? sn_vec_scale(a, 1 / length) : a;
}

#endif
