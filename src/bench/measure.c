/* Timing, and what most limits come from: memory bandwidth and arithmetic. */
#include "base/array.h"
#include "bench/bench.h"
#include "elastic/simd.h"

#include <omp.h>

double sn_bench_best_seconds(MPI_Comm comm, void (*work)(void *context), void *context)
{
    enum { LEAST_REPETITIONS = 5, MOST_REPETITIONS = 100 };
    const double least_seconds = 0.5; /* so that short work meets a quiet moment */
    double best = 0, spent = 0;
    for (int i = 0; i < LEAST_REPETITIONS || (i < MOST_REPETITIONS && spent < least_seconds); i++) {
        MPI_Barrier(comm);
        double seconds = MPI_Wtime();
        work(context);
        seconds = MPI_Wtime() - seconds;
        /* The slowest rank counts; and all ranks decide alike whether to go on. */
        MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
        spent += seconds;
        best = i == 0 || seconds < best ? seconds : best;
    }
    return best;
}

typedef struct {
    double *a, *b, *c;
    size_t count;
} triad;

static void run_triad(void *context)
{
    const triad *t = context;
    double *restrict a = t->a;
    const double *restrict b = t->b, *restrict c = t->c;
#pragma omp parallel for simd schedule(static)
    for (size_t i = 0; i < t->count; i++)
        a[i] = b[i] + 3 * c[i];
}

double sn_bench_triad(MPI_Comm comm, size_t count)
{
    triad t = {SN_NEW(double, count), SN_NEW(double, count), SN_NEW(double, count), count};
#pragma omp parallel for schedule(static) /* each page near the thread that will use it */
    for (size_t i = 0; i < count; i++) {
        t.a[i] = 0;
        t.b[i] = 1;
        t.c[i] = (double)i;
    }
    double seconds = sn_bench_best_seconds(comm, run_triad, &t);
    double bytes = 3.0 * (double)count * sizeof(double);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, comm);
    sn_free(t.a);
    sn_free(t.b);
    sn_free(t.c);
    return bytes / seconds;
}

enum { CHAINS = 12, STEPS = 1 << 16 }; /* as many chains as hide what one step waits for */

static void run_chains(void *context)
{
    double *kept = context;
#pragma omp parallel
    {
        sn_pack_f64 chain[CHAINS], factor = sn_splat_f64(0.999), term = sn_splat_f64(0.001);
        for (int c = 0; c < CHAINS; c++)
            chain[c] = sn_splat_f64(c);
        for (int step = 0; step < STEPS; step++)
            SN_EACH (c, CHAINS)
                chain[c] = sn_fma_f64(chain[c], factor, term);
        double sum = 0;
        for (int c = 0; c < CHAINS; c++)
            sum += chain[c][0];
#pragma omp atomic write
        *kept = sum; /* so that somebody wants it */
    }
}

double sn_bench_arithmetic(MPI_Comm comm)
{
    double kept, seconds = sn_bench_best_seconds(comm, run_chains, &kept);
    double operations = 2.0 * CHAINS * STEPS * SN_LANES_F64 * omp_get_max_threads();
    MPI_Allreduce(MPI_IN_PLACE, &operations, 1, MPI_DOUBLE, MPI_SUM, comm);
    return operations / seconds;
}
