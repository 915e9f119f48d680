#include "multigrid/amli.h"

#include "base/threads.h"
#include "base/timer.h"
#include "multigrid/cycle.h"
#include "multigrid/eigenvalue.h"
#include "multigrid/level.h"

#include <math.h>

/* The interval's low end. From 0.2 to 0.8 the cube took 11 or 12 iterations. */
static const double LOW = 0.4;

bool sn_level_is_done_twice(const sn_multigrid_settings *settings, int n_levels, int level)
{
    int from = settings->amli_from, end = from + settings->amli_levels;
    return from > 0 && level >= from && level < end && level + 1 < n_levels;
}

#define SN_PRECISION 32
#include "multigrid/amli.inc"
#define SN_PRECISION 64
#include "multigrid/amli.inc"
