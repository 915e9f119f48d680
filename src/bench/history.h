/* A solve that is watched: how large the largest error is after each iteration, and when. Every
 * component of every node starts off by a random number, and the solver brings it back to zero. */
#ifndef SN_BENCH_HISTORY_H
#define SN_BENCH_HISTORY_H

#include "bench/system.h"

enum { SN_HISTORY_MOST = 1000 }; /* iterations */

/* Iteration by iteration; entry 0 is the start. */
typedef struct {
    const double *exact;
    sn_local n;
    MPI_Comm comm;
    int count;
    int most; /* iterations allowed */
    double error[SN_HISTORY_MOST + 1], seconds[SN_HISTORY_MOST + 1];
    double begun, observing; /* when the solve began, and what watching it has cost */
} sn_history;

/* Collective. At most so many iterations. */
void sn_history_watch(sn_bench_system *system, sn_linear_method method, int most, sn_history *h);

/* The first iteration after which the error stays below a millionth of the first, and the seconds
 * until then; infinite if there is none. */
double sn_history_iterations(const sn_history *h);
double sn_history_seconds(const sn_history *h);

#endif
