/* Smoothers: damped Jacobi, and Chebyshev polynomials of D^-1 A; in both precisions, as a level's
 * work vectors. */
#ifndef SN_MULTIGRID_SMOOTH_H
#define SN_MULTIGRID_SMOOTH_H

#include "multigrid/multigrid.h"

/* Collective. Improves the level's x for its b; from zero if x is all zero and `from_zero` says
 * so, which saves an application of A. */
void sn_smooth_f32(sn_multigrid *mg, int level, bool from_zero);
void sn_smooth_f64(sn_multigrid *mg, int level, bool from_zero);

/* Collective. Bounds the eigenvalues of D^-1 A: the polynomial is small, and the smoother
 * definite, only below its interval's upper end. */
void sn_smooth_estimate_f32(sn_multigrid *mg, int level);
void sn_smooth_estimate_f64(sn_multigrid *mg, int level);

#endif
