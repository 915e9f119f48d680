/* Three numbers, for the renderer: the few operations it needs, in single precision.
 *
 * Scene coordinates are double; a picture moves and scales them around its camera's target
 * first, so that single precision is enough however far from the origin the scene lies. */
#ifndef SN_RENDER_VECTOR_H
#define SN_RENDER_VECTOR_H

#include <math.h>

typedef struct {
    float x, y, z;
} sn_vector3;

static inline sn_vector3 sn_add3(sn_vector3 a, sn_vector3 b)
{
    return (sn_vector3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline sn_vector3 sn_scale3(float s, sn_vector3 a)
{
    return (sn_vector3){s * a.x, s * a.y, s * a.z};
}

static inline float sn_dot3(sn_vector3 a, sn_vector3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline sn_vector3 sn_cross3(sn_vector3 a, sn_vector3 b)
{
    return (sn_vector3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float sn_component3(sn_vector3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

/* Of length 1; the zero vector stays. */
static inline sn_vector3 sn_unit3(sn_vector3 a)
{
    float length = sqrtf(sn_dot3(a, a));
    return length > 0 ? sn_scale3(1 / length, a) : a;
}

#endif
