/* When a run is to stop early.
 *
 * Knows the four ways of asking for it: a signal (TERM, INT, HUP, USR1 or XCPU) to any rank, a file
 * named `stop` in the run directory, a limit in hours, and the end of a Slurm job as Slurm tells it
 * in SLURM_JOB_END_TIME. The last two are a deadline (run/deadline.h). A second signal ends the
 * process at once, as if nobody had caught it; those within a second of the first are taken for
 * the same, because launchers hand signals on. Who started the program so that it survives its
 * terminal (nohup) has HUP ignored.
 *
 * Before there is a state to keep, a signal ends the process at once with SN_STOPPED, wherever it
 * is and whatever the other ranks wait for; the launcher ends these. */
#ifndef SN_RUN_STOP_H
#define SN_RUN_STOP_H

#include "run/deadline.h"

#include <mpi.h>
#include <stdbool.h>

/* Not collective. From now on a signal ends the program, which has nothing to lose yet. */
void sn_stop_listen(MPI_Comm comm);

/* Not collective. From now on signals are requests. */
void sn_stop_defer(void);

typedef struct {
    MPI_Comm comm;
    const char *file;     /* the caller's */
    sn_deadline deadline; /* by the program's timer */
    double looked;        /* for the file, within a step */
    int urgent;           /* why the step under way is given up; 0 if it is not */
} sn_stop;

/* `hours` from the start of the program on, or INFINITY. */
sn_stop sn_stop_create(MPI_Comm comm, const char *file, double hours);

typedef struct {
    char text[64];
} sn_stop_reason;

/* Collective, once a step. "" if the run is to go on; the same on all ranks: that of the rank with
 * the most urgent one. */
sn_stop_reason sn_stop_asked(sn_stop *stop);

/* Collective, again and again within a step: is it to be given up? For an sn_interrupt of `stop`.
 */
bool sn_stop_is_urgent(void *stop);

/* Why it was. */
sn_stop_reason sn_stop_urgent_reason(const sn_stop *stop);

/* Not collective: the request has been met, and the file can go. */
void sn_stop_done(const sn_stop *stop);

#endif
