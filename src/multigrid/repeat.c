#include "multigrid/cycle.h"

#include "base/threads.h"
#include "base/timer.h"
#include "multigrid/eigenvalue.h"
#include "multigrid/smooth.h"

#include <math.h>
#include <string.h>

/* The interval's low end. From 0.2 to 0.8 the cube took 11 or 12 iterations. */
static const double LOW = 0.4;

static sn_local reals_of(const sn_multigrid_level *v)
{
    return SN_NODE_REALS * v->tree->n_nodes;
}

bool sn_level_repeats(const sn_multigrid *mg, int level)
{
    int from = mg->settings.repeat_from, end = from + mg->settings.repeat_levels;
    return from > 0 && level >= from && level < end && level + 1 < mg->n_levels;
}

#define SN_PRECISION 32
#include "multigrid/repeat.inc"
#define SN_PRECISION 64
#include "multigrid/repeat.inc"
