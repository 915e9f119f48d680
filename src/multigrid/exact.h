/* Which level is solved exactly: the forest's coarsest, or a finer one where parts are thin.
 *
 * Thin parts are what cycles are slow on, and what factors are small of: of spikes, teeth and
 * fingers an exact solve takes less time than the cycles of the level and all below it, and all of
 * it is right. Whether it does is told by the factor itself. */
#ifndef SN_MULTIGRID_EXACT_H
#define SN_MULTIGRID_EXACT_H

#include "system/levels.h"

/* Collective. Of the first so many groups, levels below the finest one that can be solved exactly,
 * with at most so many nodes, are cut off. Coarse systems are left linearised at rest. */
SN_CHECKED sn_status sn_multigrid_cut(sn_levels *levels, int groups, int most_nodes);

#endif
