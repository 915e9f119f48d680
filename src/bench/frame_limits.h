/* What the kinds of work of a frame (base/work.h) would take if nothing but memory or arithmetic
 * held them up: bytes that they cannot do without at the speed of the triad, or operations at that
 * of multiplications and additions, whichever takes longer. */
#ifndef SN_BENCH_FRAME_LIMITS_H
#define SN_BENCH_FRAME_LIMITS_H

#include "base/work.h"
#include "shot/shot.h"

/* What was measured of the machine, over all ranks and threads: bytes and operations a second. */
typedef struct {
    double bandwidth, arithmetic;
} sn_machine_limits;

/* What was done so often, and how many bytes moved by own account, on all ranks. */
typedef struct {
    double calls[SN_WORK_KINDS], moved[SN_WORK_KINDS];
} sn_work_counts;

/* Collective: since the program began. */
sn_work_counts sn_work_counts_now(MPI_Comm comm);

/* Collective. Seconds for each kind, for work between two counts. */
void sn_frame_limits(const sn_shot *shot, const sn_work_counts *before, const sn_work_counts *after,
                     const sn_machine_limits *machine, double seconds[SN_WORK_KINDS]);

#endif
