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
static const char *const phases[SN_MOST_DEPTH] = {
    "multigrid/level 0",  "multigrid/level 1",  "multigrid/level 2",  "multigrid/level 3",
    "multigrid/level 4",  "multigrid/level 5",  "multigrid/level 6",  "multigrid/level 7",
    "multigrid/level 8",  "multigrid/level 9",  "multigrid/level 10", "multigrid/level 11",
    "multigrid/level 12", "multigrid/level 13", "multigrid/level 14", "multigrid/level 15",
    "multigrid/level 16", "multigrid/level 17", "multigrid/level 18", "multigrid/level 19",
    "multigrid/level 20", "multigrid/level 21", "multigrid/level 22", "multigrid/level 23",
    "multigrid/level 24", "multigrid/level 25", "multigrid/level 26", "multigrid/level 27",
    "multigrid/level 28", "multigrid/level 29"};

const char *sn_level_phase(int depth)
{
    return phases[depth];
}

/* ---- The finest level's vectors. ---- */

/* Fields of the finest system, while a cycle has them. */
enum { MOST_LENT = 3 };
typedef struct {
    int n;
    double *of[MOST_LENT];
} lent_fields;

static double *borrow(sn_system *system, lent_fields *lent)
{
    return lent->of[lent->n++] = sn_field_borrow(&system->spare, system->tree);
}

static void give_all_back(sn_system *system, lent_fields *lent)
{
    while (lent->n > 0)
        sn_field_give_back(&system->spare, lent->of[--lent->n]);
}

/* Of b and p only owned reals are asked for: of two vectors in a field they are the first. Where
 * z will be there is p, and t if that has no room of its own. */
static lent_fields borrow_f32(sn_multigrid *mg, double *z)
{
    lent_fields lent = {0};
    sn_system *system = mg->level[0].system;
    sn_local owned = sn_field_reals(system->tree);
    sn_level_work_f32 *w = &mg->level[0].work_f32;
    w->p = (float *)z;
    if (!mg->keeps_finest_t)
        w->t = w->p + owned;
    w->b = (float *)borrow(system, &lent);
    w->x = w->b + owned;
    return lent;
}

static lent_fields borrow_f64(sn_multigrid *mg, double *z)
{
    lent_fields lent = {0};
    sn_system *system = mg->level[0].system;
    sn_level_work_f64 *w = &mg->level[0].work_f64;
    w->p = borrow(system, &lent);
    if (!mg->keeps_finest_t)
        w->t = z;
    w->b = borrow(system, &lent);
    w->x = borrow(system, &lent);
    return lent;
}

static void give_back_f32(sn_multigrid *mg, lent_fields *lent)
{
    give_all_back(mg->level[0].system, lent);
    float *kept = mg->keeps_finest_t ? mg->level[0].work_f32.t : NULL;
    mg->level[0].work_f32 = (sn_level_work_f32){.t = kept};
}

static void give_back_f64(sn_multigrid *mg, lent_fields *lent)
{
    give_all_back(mg->level[0].system, lent);
    double *kept = mg->keeps_finest_t ? mg->level[0].work_f64.t : NULL;
    mg->level[0].work_f64 = (sn_level_work_f64){.t = kept};
}

bool sn_multigrid_lends_t(const sn_multigrid *mg)
{
    const sn_octree *tree = mg->level[0].system->tree;
    size_t owned = (size_t)sn_field_reals(tree);
    size_t field = owned + SN_NODE_REALS * (size_t)tree->n_ghost_nodes + SN_FIELD_SLACK;
    bool single = sn_multigrid_is_single(&mg->settings);
    return sn_level_room(mg, 0) <= (single ? 2 * field - owned : field);
}

/* ---- Cycles. ---- */

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
