/* Smoothers: damped Jacobi, and Chebyshev polynomials of D^-1 A; in both precisions, as a level's
 * work vectors.
 *
 * A smoother brings no error up, in the norm of A, as long as its polynomial q is less than 1 in
 * size for all eigenvalues of D^-1 A: that is, for Chebyshev's on [low, high], below low + high.
 * Then a cycle is definite. So D and the bound belong together (system/system.h): the bound is
 * found once, for the level at rest, and D is such that springs and crushed elements do not take
 * the level above it. For other elements it is an estimate with a margin. Levels whose unknowns can
 * turn have matrices of their own, which are made once a step, and so are their bounds. */
#ifndef SN_MULTIGRID_SMOOTH_H
#define SN_MULTIGRID_SMOOTH_H

#include "multigrid/multigrid.h"

/* Collective. Improves the level's x for its b; with `from_zero` from zero, whatever is in x, which
 * saves an application of A. */
void sn_smooth_f32(sn_multigrid *mg, int level, bool from_zero);
void sn_smooth_f64(sn_multigrid *mg, int level, bool from_zero);

/* Collective. Bounds the eigenvalues of D^-1 A as they are now. */
void sn_smooth_estimate_f32(sn_multigrid *mg, int level);
void sn_smooth_estimate_f64(sn_multigrid *mg, int level);

#endif
