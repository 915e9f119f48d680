/* Benchmarks: `sinew bench NAME`.
 *
 * A bench measures figures and reports each beside the machine's limit, which it measures
 * in the same run and in the same unit. This module knows the table of benches and how
 * figures are written (a readable row, or one JSON object a line); a bench knows neither.
 *
 * A new bench is one file, one declaration here and one line in the table of cli/bench.c. */
#ifndef SN_BENCH_BENCH_H
#define SN_BENCH_BENCH_H

#include "base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
    MPI_Comm comm;
    bool json;
    size_t size; /* what --size asked for, 0 if nothing: the bench has its own default */
} sn_bench;

/* Called on all ranks with equal values; rank 0 writes. The ratio is value / limit. */
void sn_bench_report(const sn_bench *bench, const char *name, double value, const char *unit,
                     double limit);

/* The same, and in JSON the value once more under a key of its own. */
void sn_bench_report_as(const sn_bench *bench, const char *key, const char *name, double value,
                        const char *unit, double limit);

/* Collective: the seconds that `work` takes when all ranks do it at once, the slowest rank
 * counting, in the best of several repetitions. */
double sn_bench_best_seconds(MPI_Comm comm, void (*work)(void *context), void *context);

/* Collective: what all ranks and threads together move, in bytes a second, in
 * a[i] = b[i] + s * c[i] over arrays of `count` doubles a rank. */
double sn_bench_triad(MPI_Comm comm, size_t count);

/* Collective: multiplications and additions of doubles a second, that all ranks and threads do
 * together in registers. */
double sn_bench_arithmetic(MPI_Comm comm);

/* Collective: of the time of an exact dot product of so many values on this rank, the part that a
 * plain one takes, which may add in any order (sum.c). */
double sn_bench_plain_share(MPI_Comm comm, size_t count);

sn_status sn_bench_sum(const sn_bench *bench);
sn_status sn_bench_octree(const sn_bench *bench);
sn_status sn_bench_convergence(const sn_bench *bench);
sn_status sn_bench_thin(const sn_bench *bench);
sn_status sn_bench_operator(const sn_bench *bench);
sn_status sn_bench_vcycle(const sn_bench *bench);
sn_status sn_bench_solve(const sn_bench *bench);
sn_status sn_bench_output(const sn_bench *bench);
sn_status sn_bench_frame(const sn_bench *bench);

#endif
