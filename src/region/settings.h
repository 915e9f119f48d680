/* What a scene says about a region of space, or about the shape of a collider. */
#ifndef SN_REGION_SETTINGS_H
#define SN_REGION_SETTINGS_H

#include "io/mesh/settings.h"

#include <stdbool.h>

typedef enum {
    SN_SHAPE_NONE,
    SN_SHAPE_BOX,
    SN_SHAPE_SPHERE,
    SN_SHAPE_CAPSULE,
    SN_SHAPE_CYLINDER,
    SN_SHAPE_PLANE,
    SN_SHAPE_MESH,
} sn_shape_kind;

typedef struct {
    double min[3], max[3];
} sn_shape_box;

typedef struct {
    double center[3], radius;
} sn_shape_sphere;

/* A capsule or a cylinder around the segment from a to b. */
typedef struct {
    double a[3], b[3], radius;
} sn_shape_round;

/* Inside is where the normal does not point. */
typedef struct {
    double point[3], normal[3];
} sn_shape_plane;

/* Only the member of its kind has a meaning. */
typedef struct {
    sn_shape_kind kind;
    sn_shape_box box;
    sn_shape_sphere sphere;
    sn_shape_round capsule, cylinder;
    sn_shape_plane plane;
    char *mesh;
    sn_placement place; /* of the mesh */
    bool invert;        /* inside and outside change places */
} sn_shape;

#endif
