/* The cycle on one level and all below it, and two of them as one (cycle.c, repeat.c), in both
 * precisions. */
#ifndef SN_MULTIGRID_CYCLE_H
#define SN_MULTIGRID_CYCLE_H

#include "multigrid/multigrid.h"

/* Collective, as all here: x = the cycle applied to b, the vectors of the level. */
void sn_level_cycle_f32(sn_multigrid *mg, int level);
void sn_level_cycle_f64(sn_multigrid *mg, int level);

/* The phase that a level's own work is counted in, without that of coarser levels. */
const char *sn_level_phase(int level);

/* Is the cycle on this level done twice? */
bool sn_level_repeats(const sn_multigrid *mg, int level);

/* x = two cycles applied to b, as the second Chebyshev polynomial of one cycle B times A.
 *
 * A coarse level is not the projection of the finer one. So B A has small eigenvalues that grow
 * smaller with every level, and, on thin parts of a body, eigenvalues above 2; with those, two
 * plain cycles would not be positive definite. The polynomial is positive definite as long as the
 * largest eigenvalue is not underestimated by more than the low end of its interval. */
void sn_level_two_cycles_f32(sn_multigrid *mg, int level);
void sn_level_two_cycles_f64(sn_multigrid *mg, int level);

/* Estimates that eigenvalue. Coarser levels must be ready. */
void sn_repeat_estimate_f32(sn_multigrid *mg, int level);
void sn_repeat_estimate_f64(sn_multigrid *mg, int level);

#endif
