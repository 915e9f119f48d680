/* Smoothers: damped Jacobi, and Chebyshev polynomials of D^-1 A. */
#ifndef SN_MULTIGRID_SMOOTH_H
#define SN_MULTIGRID_SMOOTH_H

#include "multigrid/multigrid.h"

/* Collective: out = A u on a level; zero where pinned. */
void sn_level_apply(sn_multigrid *mg, int level, float *u, float *out);

/* Collective: r = b - A x. */
void sn_level_residual(sn_multigrid *mg, int level, float *r);

/* Collective. Improves the level's x for its b; from zero if x is all zero and `from_zero` says
 * so, which saves an application of A. */
void sn_smooth(sn_multigrid *mg, int level, bool from_zero);

/* Collective. Bounds the eigenvalues of D^-1 A: the polynomial is small, and the smoother
 * definite, only below its interval's upper end. */
void sn_smooth_estimate(sn_multigrid *mg, int level);

#endif
