/* The 3x3 singular value decomposition of a batch: F = U diag(sigma) V^T in every lane.
 *
 * U and V are rotations, sigma[0] >= sigma[1] >= |sigma[2]| to rounding: the sign of an inverted
 * F is with the least singular value (section 4). Matrices are nine packs, row by row.
 *
 * After the plan of McAdams et al. 2011: rotate the columns of F by V until they are orthogonal,
 * sort them, and take U and sigma from a QR decomposition by Givens rotations, which does not
 * mind columns that vanish. No branches, a fixed number of sweeps. Unlike theirs the columns
 * are orthogonalised themselves (one-sided Jacobi), not through F^T F: squaring would lose half
 * of the digits of small singular values, and double precision wants them. F is scaled by a
 * power of two first, so that huge and tiny ones are as good as others (but if all entries are
 * subnormal, only U and V are good).
 *
 * Errors, measured by tests/elastic/test_elastic_svd.c over all kinds of F: see the bounds there.
 */
#ifndef SN_ELASTIC_SVD3_H
#define SN_ELASTIC_SVD3_H

#include "elastic/simd.h"

#define SN_PRECISION 32
#include "elastic/svd3.inc"
#define SN_PRECISION 64
#include "elastic/svd3.inc"

#endif
