/* Two cycles on a level as one: the algebraic multilevel iteration (AMLI) of Axelsson and
 * Vassilevski, with the second Chebyshev polynomial.
 *
 * A coarse level is not the projection of the finer one. So one cycle B times A has small
 * eigenvalues that grow smaller with every level, and, on thin parts of a body, eigenvalues above
 * 2; with those, two plain cycles would not be positive definite. The polynomial is positive
 * definite as long as the largest eigenvalue is not underestimated by more than the low end of its
 * interval. */
#ifndef SN_MULTIGRID_AMLI_H
#define SN_MULTIGRID_AMLI_H

#include "multigrid/multigrid.h"

/* Is the cycle on this level, of so many with systems and with or without rigid ones below, done
 * twice? */
bool sn_level_is_done_twice(const sn_multigrid_settings *settings, int n_systems, bool rigid,
                            int level);

/* The same of a multigrid's. */
bool sn_multigrid_does_twice(const sn_multigrid *mg, int level);

/* Collective, as the next: x = two cycles applied to b, the vectors of the level. */
void sn_amli_cycle_f32(sn_multigrid *mg, int level);
void sn_amli_cycle_f64(sn_multigrid *mg, int level);

/* Bounds the largest eigenvalue of B A. Coarser levels must be ready. */
void sn_amli_estimate_f32(sn_multigrid *mg, int level);
void sn_amli_estimate_f64(sn_multigrid *mg, int level);

#endif
