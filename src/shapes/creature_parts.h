/* The parts of the creature's body, in the order in which they are blended.
 *
 * Only data, for creature.c: positions and radii in metres at size 1. A part with z > 0 in its
 * place is there twice, left and right. Later parts are blended onto earlier ones, so that small
 * features come last and keep their shape. */
#ifndef SN_SHAPES_CREATURE_PARTS_H
#define SN_SHAPES_CREATURE_PARTS_H

#include "shapes/vector.h"

#include <stdbool.h>

typedef enum { PART_ELLIPSOID, PART_ROUND_CONE } part_kind;

typedef struct {
    part_kind kind;
    bool is_cut;  /* takes away instead of adding */
    double blend; /* width of the rounded seam */
    sn_vec a;     /* centre, or first end */
    sn_vec b;     /* half axes, or second end */
    double radius_a, radius_b;
    double tilt; /* of an ellipsoid about z, in degrees: positive lifts its front */
} part;

#define ELLIPSOID(blend, x, y, z, along_x, along_y, along_z, tilt)                                 \
    {                                                                                              \
        PART_ELLIPSOID, false, blend, {x, y, z}, {along_x, along_y, along_z}, 0, 0, tilt           \
    }
#define HOLLOW(blend, x, y, z, along_x, along_y, along_z, tilt)                                    \
    {                                                                                              \
        PART_ELLIPSOID, true, blend, {x, y, z}, {along_x, along_y, along_z}, 0, 0, tilt            \
    }
#define LIMB(blend, xa, ya, za, ra, xb, yb, zb, rb)                                                \
    {                                                                                              \
        PART_ROUND_CONE, false, blend, {xa, ya, za}, {xb, yb, zb}, ra, rb, 0                       \
    }

static const part CREATURE_PARTS[] = {
    /* trunk: barrel, hanging belly, rump and hips, withers and shoulders, brisket */
    ELLIPSOID(0, -0.12, 0.61, 0, 0.60, 0.335, 0.345, 0),
    ELLIPSOID(0.15, -0.10, 0.50, 0, 0.46, 0.27, 0.37, 0),
    ELLIPSOID(0.12, -0.55, 0.63, 0, 0.27, 0.29, 0.26, 0),
    ELLIPSOID(0.10, -0.56, 0.56, 0.17, 0.22, 0.27, 0.15, -10),
    ELLIPSOID(0.15, 0.28, 0.68, 0, 0.26, 0.25, 0.24, 0),
    ELLIPSOID(0.10, 0.30, 0.57, 0.17, 0.17, 0.26, 0.14, 10),
    ELLIPSOID(0.12, 0.38, 0.50, 0, 0.18, 0.20, 0.20, 0),
    /* neck and its lower fold */
    LIMB(0.12, 0.36, 0.66, 0, 0.25, 0.62, 0.69, 0, 0.20),
    LIMB(0.10, 0.48, 0.56, 0, 0.16, 0.64, 0.57, 0, 0.13),
    /* hind leg: thigh, shank, foot, toes */
    LIMB(0.08, -0.56, 0.52, 0.20, 0.17, -0.50, 0.33, 0.215, 0.13),
    LIMB(0.04, -0.50, 0.33, 0.215, 0.125, -0.60, 0.14, 0.205, 0.085),
    ELLIPSOID(0.04, -0.575, 0.045, 0.205, 0.105, 0.06, 0.095, 0),
    ELLIPSOID(0.012, -0.515, 0.03, 0.140, 0.034, 0.030, 0.028, 0),
    ELLIPSOID(0.012, -0.485, 0.03, 0.182, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, -0.485, 0.03, 0.228, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, -0.515, 0.03, 0.270, 0.034, 0.030, 0.028, 0),
    /* fore leg */
    LIMB(0.08, 0.30, 0.50, 0.20, 0.14, 0.27, 0.33, 0.205, 0.115),
    LIMB(0.03, 0.27, 0.33, 0.205, 0.11, 0.30, 0.12, 0.205, 0.082),
    ELLIPSOID(0.04, 0.325, 0.045, 0.205, 0.105, 0.06, 0.095, 0),
    ELLIPSOID(0.012, 0.385, 0.03, 0.140, 0.034, 0.030, 0.028, 0),
    ELLIPSOID(0.012, 0.415, 0.03, 0.182, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, 0.415, 0.03, 0.228, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, 0.385, 0.03, 0.270, 0.034, 0.030, 0.028, 0),
    /* head: cranium, bridge, cheeks, muzzle, lower jaw */
    ELLIPSOID(0.08, 0.66, 0.73, 0, 0.17, 0.14, 0.15, 0),
    LIMB(0.06, 0.68, 0.70, 0, 0.115, 0.90, 0.66, 0, 0.10),
    ELLIPSOID(0.06, 0.69, 0.60, 0.10, 0.13, 0.13, 0.08, 0),
    ELLIPSOID(0.05, 0.90, 0.63, 0.085, 0.115, 0.105, 0.105, 0),
    ELLIPSOID(0.06, 0.93, 0.63, 0, 0.09, 0.10, 0.13, 0),
    ELLIPSOID(0.05, 0.80, 0.545, 0, 0.20, 0.075, 0.135, 0),
    ELLIPSOID(0.03, 0.91, 0.54, 0, 0.085, 0.065, 0.13, 0),
    /* nostrils, eyes, ears */
    ELLIPSOID(0.03, 0.945, 0.735, 0.075, 0.05, 0.035, 0.035, 0),
    HOLLOW(0.015, 0.965, 0.75, 0.08, 0.022, 0.018, 0.014, 0),
    ELLIPSOID(0.03, 0.705, 0.835, 0.095, 0.05, 0.04, 0.035, 0),
    ELLIPSOID(0.006, 0.715, 0.838, 0.115, 0.027, 0.027, 0.027, 0),
    LIMB(0.02, 0.595, 0.85, 0.105, 0.028, 0.585, 0.915, 0.135, 0.030),
    HOLLOW(0.01, 0.61, 0.92, 0.145, 0.022, 0.026, 0.022, 0),
    /* tail with its tuft */
    LIMB(0.05, -0.79, 0.72, 0, 0.045, -0.85, 0.60, 0, 0.032),
    LIMB(0.01, -0.85, 0.60, 0, 0.032, -0.86, 0.48, 0, 0.022),
    ELLIPSOID(0.02, -0.86, 0.45, 0, 0.028, 0.05, 0.035, 0),
};
enum { N_CREATURE_PARTS = sizeof CREATURE_PARTS / sizeof CREATURE_PARTS[0] };

#endif
