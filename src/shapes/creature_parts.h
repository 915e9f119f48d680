/* The parts of the creature's body, in the order in which they are blended.
 *
 * Only data, for creature.c: positions and radii in metres at size 1. A part with z > 0 in its
 * place is there twice, left and right. Later parts are blended onto earlier ones, so that small
 * features come last and keep their shape. */
#ifndef SN_SHAPES_CREATURE_PARTS_H
#define SN_SHAPES_CREATURE_PARTS_H

#include "base/vec3.h"

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
    ELLIPSOID(0, -0.14, 0.62, 0, 0.60, 0.335, 0.345, 0),
    ELLIPSOID(0.16, -0.13, 0.465, 0, 0.46, 0.29, 0.405, 3),
    ELLIPSOID(0.12, -0.56, 0.63, 0, 0.27, 0.295, 0.26, 0),
    ELLIPSOID(0.06, -0.58, 0.56, 0.18, 0.22, 0.27, 0.15, -10),
    ELLIPSOID(0.15, 0.28, 0.69, 0, 0.26, 0.25, 0.24, 0),
    ELLIPSOID(0.055, 0.29, 0.57, 0.19, 0.16, 0.27, 0.14, 10),
    ELLIPSOID(0.12, 0.38, 0.48, 0, 0.18, 0.20, 0.20, 0),
    /* neck and the fold under it */
    LIMB(0.07, 0.38, 0.67, 0, 0.265, 0.60, 0.69, 0, 0.215),
    LIMB(0.06, 0.46, 0.53, 0, 0.17, 0.62, 0.56, 0, 0.14),
    /* hind leg: thigh, shank, foot, toes */
    LIMB(0.06, -0.57, 0.52, 0.20, 0.17, -0.50, 0.33, 0.215, 0.135),
    LIMB(0.04, -0.50, 0.33, 0.215, 0.125, -0.60, 0.14, 0.205, 0.085),
    ELLIPSOID(0.04, -0.575, 0.045, 0.205, 0.105, 0.06, 0.095, 0),
    ELLIPSOID(0.012, -0.515, 0.03, 0.140, 0.034, 0.030, 0.028, 0),
    ELLIPSOID(0.012, -0.485, 0.03, 0.182, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, -0.485, 0.03, 0.228, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, -0.515, 0.03, 0.270, 0.034, 0.030, 0.028, 0),
    /* fore leg */
    LIMB(0.07, 0.30, 0.50, 0.20, 0.145, 0.26, 0.33, 0.205, 0.118),
    LIMB(0.03, 0.26, 0.33, 0.205, 0.112, 0.30, 0.12, 0.205, 0.082),
    ELLIPSOID(0.04, 0.325, 0.045, 0.205, 0.105, 0.06, 0.095, 0),
    ELLIPSOID(0.012, 0.385, 0.03, 0.140, 0.034, 0.030, 0.028, 0),
    ELLIPSOID(0.012, 0.415, 0.03, 0.182, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, 0.415, 0.03, 0.228, 0.036, 0.032, 0.028, 0),
    ELLIPSOID(0.012, 0.385, 0.03, 0.270, 0.034, 0.030, 0.028, 0),
    /* head: cranium, bridge, muzzle and upper lips; the jaw under them, with a sharper seam that
     * is the mouth; jowls over the back of the jaw */
    ELLIPSOID(0.07, 0.66, 0.735, 0, 0.19, 0.15, 0.17, 0),
    LIMB(0.07, 0.68, 0.71, 0, 0.13, 0.93, 0.665, 0, 0.11),
    LIMB(0.06, 0.88, 0.640, 0.095, 0.100, 0.975, 0.625, 0.085, 0.100),
    ELLIPSOID(0.06, 0.97, 0.65, 0, 0.10, 0.105, 0.15, 0),
    ELLIPSOID(0.012, 0.79, 0.530, 0, 0.24, 0.090, 0.145, 2),
    ELLIPSOID(0.022, 0.955, 0.522, 0, 0.10, 0.070, 0.135, 0),
    ELLIPSOID(0.06, 0.69, 0.605, 0.11, 0.15, 0.15, 0.10, 0),
    /* nostrils */
    ELLIPSOID(0.03, 0.995, 0.755, 0.085, 0.060, 0.034, 0.045, -15),
    HOLLOW(0.012, 1.030, 0.772, 0.092, 0.032, 0.024, 0.020, -30),
    /* brows, eyes and their lids */
    ELLIPSOID(0.03, 0.695, 0.860, 0.105, 0.065, 0.040, 0.045, -5),
    HOLLOW(0.010, 0.722, 0.858, 0.150, 0.042, 0.036, 0.030, 0),
    ELLIPSOID(0, 0.720, 0.858, 0.132, 0.034, 0.031, 0.031, 0),
    ELLIPSOID(0.006, 0.712, 0.884, 0.132, 0.046, 0.020, 0.036, -6),
    /* ears */
    LIMB(0.025, 0.575, 0.86, 0.125, 0.028, 0.570, 0.895, 0.140, 0.028),
    ELLIPSOID(0.015, 0.568, 0.935, 0.158, 0.032, 0.052, 0.042, 15),
    HOLLOW(0.010, 0.602, 0.945, 0.166, 0.028, 0.038, 0.026, 15),
    /* tail with its tuft */
    LIMB(0.05, -0.79, 0.74, 0, 0.050, -0.875, 0.62, 0, 0.030),
    LIMB(0, -0.875, 0.62, 0, 0.030, -0.905, 0.50, 0, 0.020),
    ELLIPSOID(0.03, -0.908, 0.45, 0, 0.024, 0.060, 0.036, 0),
};
enum { N_CREATURE_PARTS = sizeof CREATURE_PARTS / sizeof CREATURE_PARTS[0] };

#endif
