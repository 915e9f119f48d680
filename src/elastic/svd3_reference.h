/* A plain 3x3 singular value decomposition, the yardstick for the fast one in svd3.h.
 *
 * F = U diag(sigma) V^T with U and V rotations (section 4), sigma[0] >= sigma[1] >= |sigma[2]|:
 * an inverted F has sigma[2] < 0. Matrices are [row][column]. Finite F only. */
#ifndef SN_ELASTIC_SVD3_REFERENCE_H
#define SN_ELASTIC_SVD3_REFERENCE_H

void sn_svd3_reference(const double f[3][3], double u[3][3], double sigma[3], double v[3][3]);

#endif
