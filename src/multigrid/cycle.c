/* The V-cycle (section 7). */
#include "multigrid/cycle.h"

#include "base/threads.h"
#include "base/timer.h"
#include "base/work.h"
#include "multigrid/amli.h"
#include "multigrid/level.h"
#include "multigrid/smooth.h"

#include <math.h>

/* Names that stay, for timers. */
static const char *const phases[SN_MAX_LEVELS + SN_MOST_RIGID_LEVELS] = {
    "multigrid/level 0",  "multigrid/level 1",  "multigrid/level 2",  "multigrid/level 3",
    "multigrid/level 4",  "multigrid/level 5",  "multigrid/level 6",  "multigrid/level 7",
    "multigrid/level 8",  "multigrid/level 9",  "multigrid/level 10", "multigrid/level 11",
    "multigrid/level 12", "multigrid/level 13", "multigrid/level 14", "multigrid/level 15",
    "multigrid/level 16", "multigrid/level 17", "multigrid/level 18", "multigrid/level 19",
    "multigrid/level 20", "multigrid/level 21", "multigrid/level 22", "multigrid/level 23",
    "multigrid/level 24", "multigrid/level 25", "multigrid/level 26", "multigrid/level 27",
    "multigrid/level 28", "multigrid/level 29"};

const char *sn_level_phase(int level)
{
    return phases[level];
}

#define SN_PRECISION 32
#include "multigrid/cycle.inc"
#define SN_PRECISION 64
#include "multigrid/cycle.inc"

/* The residual is scaled, so that single precision neither overflows nor vanishes. */
static double scale_of(const sn_octree *tree, const double *r)
{
    double largest = sn_field_largest(tree, r);
    return largest > 0 && isfinite(largest) ? largest : 1;
}

void sn_multigrid_cycle(sn_multigrid *mg, const double *r, double *z)
{
    double scale = scale_of(mg->level[0].system->tree, r);
    if (sn_multigrid_is_single(&mg->settings))
        cycle_f32(mg, r, scale, z);
    else
        cycle_f64(mg, r, scale, z);
}
