/* Affine maps of space, x -> A x + b. */
#ifndef SN_BASE_AFFINE_H
#define SN_BASE_AFFINE_H

#include "base/quaternion.h"

#include <stdbool.h>

/* Rows of a 3x4 matrix, the shift in the last column. */
typedef struct {
    double row[3][4];
} sn_affine;

static const sn_affine SN_IDENTITY = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};

/* From twelve numbers, row by row. */
sn_affine sn_affine_of(const double numbers[12]);

bool sn_affine_is_finite(const sn_affine *map);

/* The image may be the point itself. */
void sn_affine_apply(const sn_affine *map, const double point[3], double image[3]);

/* First b, then a. */
sn_affine sn_affine_after(const sn_affine *a, const sn_affine *b);

/* By how much it changes volumes; below 0 if it is a mirror image. */
double sn_affine_determinant(const sn_affine *map);

/* False if the map flattens space, to rounding. */
bool sn_affine_invert(const sn_affine *map, sn_affine *inverse);

/* First turned, then shifted. */
sn_affine sn_affine_rigid(sn_quaternion turn, sn_vec shift);

/* How far the map is from a turn and a shift: the largest deviation of the products of its
 * columns from those of a right-handed orthonormal frame. */
double sn_affine_not_rigid(const sn_affine *map);

/* The turn in a map that is nearly rigid. */
sn_quaternion sn_affine_turn(const sn_affine *map);

#endif
