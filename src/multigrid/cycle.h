/* The cycle on one level and all below it, in both precisions. */
#ifndef SN_MULTIGRID_CYCLE_H
#define SN_MULTIGRID_CYCLE_H

#include "multigrid/multigrid.h"

/* Collective: x = the cycle applied to b, the vectors of the level. */
void sn_level_cycle_f32(sn_multigrid *mg, int level);
void sn_level_cycle_f64(sn_multigrid *mg, int level);

/* The phase that the own work of levels at a depth is counted in, without that of coarser ones. */
const char *sn_level_phase(int depth);

#endif
