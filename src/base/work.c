#include "base/work.h"

#include "base/timer.h"

#include <stdbool.h>

enum { MOST_NESTED = 32, NONE = -1 };

#define PHASE(NAME, name) "work/" name,
static const char *const phases[SN_WORK_KINDS] = {SN_WORKS(PHASE)};
#undef PHASE

static struct {
    int depth;
    int counts[MOST_NESTED]; /* what counts at each depth */
    double moved[SN_WORK_KINDS];
} works;

static int counting(void)
{
    return works.depth > 0 ? works.counts[works.depth - 1] : NONE;
}

static bool counts_anywhere(int kind)
{
    return kind == SN_WORK_SUMS || kind == SN_WORK_EXCHANGE;
}

/* The clock goes from one kind to another. */
static void change(int from, int to)
{
    if (from == to)
        return;
    if (from != NONE)
        sn_phase_pause(phases[from]);
    if (to != NONE)
        sn_phase_begin(phases[to]);
}

void sn_work_begin(sn_work_kind kind)
{
    int before = counting();
    bool takes_over = before == NONE || (counts_anywhere((int)kind) && !counts_anywhere(before));
    int now = takes_over ? (int)kind : before;
    change(before, now);
    works.counts[works.depth++] = now;
}

void sn_work_end(void)
{
    int before = counting();
    works.depth--;
    int now = counting();
    if (before != now)
        sn_phase_count(phases[before]);
    change(before, now);
}

const char *sn_work_phase(sn_work_kind kind)
{
    return phases[kind];
}

void sn_work_moves(double bytes)
{
    if (counting() != NONE)
        works.moved[counting()] += bytes;
}

double sn_work_moved(sn_work_kind kind)
{
    return works.moved[kind];
}
