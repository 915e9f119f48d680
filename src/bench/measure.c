/* Timing, and the memory bandwidth that most limits come from. */
#include "base/array.h"
#include "bench/bench.h"

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
