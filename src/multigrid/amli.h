/* Three cycles on a level as one: the algebraic multilevel iteration (AMLI) of Axelsson and
 * Vassilevski, with the third Chebyshev polynomial.
 *
 * A coarse level is not the projection of the finer one. So one cycle B times A has small
 * eigenvalues that grow smaller with every level, and, on thin parts of a body or of flesh that is
 * crushed, eigenvalues above 2; with those, plain cycles would not be positive definite. With q the
 * polynomial, q(0) = 1, the repeated cycle is (1 - q(B A)) A^-1.
 *
 * It is positive definite, whatever the bound of the largest eigenvalue is: the third polynomial is
 * at most 1 / T(c/h) < 1 in size on its interval, falls from 1 before it, and falls without end
 * beyond it, so q(t) < 1 for all t > 0. (The second rises beyond it, and would be indefinite for
 * eigenvalues that were underestimated.) And a cycle is positive definite if what corrects it from
 * below is, and its smoother brings no error up (smooth.h). So the bound need not be sure. It
 * has to be good: far above it the repeated cycle corrects too much. It is found anew with a step's
 * first linearisations, and ever more rarely later (multigrid.c). */
#ifndef SN_MULTIGRID_AMLI_H
#define SN_MULTIGRID_AMLI_H

#include "multigrid/multigrid.h"

enum { SN_AMLI_DEGREE = 3 }; /* cycles; odd */

/* Is the cycle on this level, of so many with systems and with or without rigid ones below,
 * repeated? */
bool sn_level_is_repeated(const sn_multigrid_settings *settings, int n_systems, bool rigid,
                          int level);

/* The same of a multigrid's. */
bool sn_multigrid_repeats(const sn_multigrid *mg, int level);

/* Collective, as the next: x = the repeated cycle applied to b, the vectors of the level. */
void sn_amli_cycle_f32(sn_multigrid *mg, int level);
void sn_amli_cycle_f64(sn_multigrid *mg, int level);

/* Bounds the largest eigenvalue of B A. Coarser levels must be ready. */
void sn_amli_estimate_f32(sn_multigrid *mg, int level);
void sn_amli_estimate_f64(sn_multigrid *mg, int level);

#endif
