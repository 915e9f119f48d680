/* Time that is left to a run, by a clock that the caller reads.
 *
 * Leaves room for one more step and a checkpoint, by what the longest of each took so far, and
 * never less than SN_LEAST_MARGIN. */
#ifndef SN_RUN_DEADLINE_H
#define SN_RUN_DEADLINE_H

#include <stdbool.h>

/* Seconds for whatever was not measured. */
#define SN_LEAST_MARGIN 5.0

/* All in seconds of the same clock. */
typedef struct {
    double at;                               /* INFINITY for none */
    double step_began;                       /* the one that is under way */
    double longest_step, longest_checkpoint; /* so far */
} sn_deadline;

sn_deadline sn_deadline_begin(double at, double now);

/* A step has ended, with its files, and another begins. */
void sn_deadline_step_ended(sn_deadline *deadline, double now);
void sn_deadline_checkpoint_took(sn_deadline *deadline, double seconds);

/* Whether there may be too little time for one more. */
bool sn_deadline_is_near(const sn_deadline *deadline, double now);

/* Whether a step that is still under way has to be given up: there is time for a checkpoint only.
 */
bool sn_deadline_is_here(const sn_deadline *deadline, double now);

/* The end of a Slurm job, as its text SLURM_JOB_END_TIME says it in seconds since 1970, on a clock
 * that shows `now` when it is `today` in such seconds; INFINITY if it says nothing. */
double sn_slurm_deadline(const char *text, double today, double now);

#endif
