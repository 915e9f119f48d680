#include "multigrid/amli.h"

#include "base/threads.h"
#include "base/timer.h"
#include "multigrid/cycle.h"
#include "multigrid/eigenvalue.h"
#include "multigrid/level.h"

#include <math.h>

/* The interval's low end. With 0.2, 0.3 and 0.4 a creature took 13, 13 and 14 iterations, and a
 * cube 6 with each. */
static const double LOW = 0.3;

enum { FEWEST_STEPS = 6 }; /* of Lanczos */

/* Where unknowns can turn these are the last levels with systems and the first without. A comb of
 * 64 teeth of four cells took 24 iterations without any, 16 with the first rigid level, 11 with the
 * last system, too, and 12 with one more below; the spike, with three systems, 70 with the last of
 * them, and 51 with three levels. */
static bool is_near_rigid(const sn_multigrid_settings *settings, int n_systems, int level)
{
    return settings->amli_from > 0 && level > 0 && level <= n_systems &&
           level > n_systems - settings->amli_levels;
}

bool sn_level_is_repeated(const sn_multigrid_settings *settings, int n_systems, bool rigid,
                          int level)
{
    if (rigid)
        return is_near_rigid(settings, n_systems, level);
    int from = settings->amli_from, end = from + settings->amli_levels;
    return from > 0 && level >= from && level < end && level + 1 < n_systems;
}

bool sn_multigrid_repeats(const sn_multigrid *mg, int level)
{
    const sn_multigrid_level *v = &mg->level[level];
    const sn_multigrid_group *g = &mg->group[v->group];
    return v->depth + 1 < g->n &&
           sn_level_is_repeated(&mg->settings, g->systems, g->systems < g->n, v->depth);
}

#define SN_PRECISION 32
#include "multigrid/amli.inc"
#define SN_PRECISION 64
#include "multigrid/amli.inc"
