/* Phase timers, and the table that closes a run.
 *
 * A phase is a name such as "octree/balance". Phases may nest; each counts its own whole
 * time. Main thread only. The table has min, avg and max seconds over the ranks and the
 * imbalance max/avg; a rank that never entered a phase counts as zero seconds. */
#ifndef SN_BASE_TIMER_H
#define SN_BASE_TIMER_H

#include <mpi.h>
#include <stdio.h>

/* Forgets all phases and sets the clock to zero. */
void sn_timer_reset(void);

/* Seconds since sn_timer_reset. */
double sn_timer_elapsed(void);

/* `phase` must be a string that stays, such as a literal. */
void sn_phase_begin(const char *phase);
void sn_phase_end(const char *phase);

/* Stops a phase's clock until its next begin; it counts as one call with what follows then. */
void sn_phase_pause(const char *phase);

/* Seconds this rank has spent in a phase so far; 0 if it was never entered. */
double sn_phase_seconds(const char *phase);

/* Counts a call whose time was counted by begin and pause; how many there are so far. */
void sn_phase_count(const char *phase);
long sn_phase_calls(const char *phase);

/* Collective. Rank 0 writes the table to `out`. */
void sn_timer_report(MPI_Comm comm, FILE *out);

/* Collective. The same as comma-separated values with a header: timing.csv of a run. */
void sn_timer_write_csv(MPI_Comm comm, FILE *out);

#endif
