#include "run/deadline.h"

#include <math.h>
#include <stdlib.h>

sn_deadline sn_deadline_begin(double at, double now)
{
    return (sn_deadline){.at = at, .step_began = now};
}

void sn_deadline_step_ended(sn_deadline *deadline, double now)
{
    deadline->longest_step = fmax(deadline->longest_step, now - deadline->step_began);
    deadline->step_began = now;
}

void sn_deadline_checkpoint_took(sn_deadline *deadline, double seconds)
{
    deadline->longest_checkpoint = fmax(deadline->longest_checkpoint, seconds);
}

bool sn_deadline_is_here(const sn_deadline *deadline, double now)
{
    return now + fmax(SN_LEAST_MARGIN, deadline->longest_checkpoint) > deadline->at;
}

bool sn_deadline_is_near(const sn_deadline *deadline, double now)
{
    double needed = deadline->longest_step + deadline->longest_checkpoint;
    return now + fmax(SN_LEAST_MARGIN, needed) > deadline->at;
}

double sn_slurm_deadline(const char *text, double today, double now)
{
    char *end;
    double at = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !(at > 0))
        return INFINITY;
    return at - today + now;
}
