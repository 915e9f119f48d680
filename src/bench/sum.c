/* `sinew bench sum`: what exactness costs.
 *
 * The limit of an exact sum is the plain one: vectorised, on all threads and ranks, free to
 * add in any order. The plain ones' own limit is the bandwidth of the triad. */
#include "base/array.h"
#include "base/exact_sum.h"
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>

enum { DEFAULT_COUNT = 1 << 23 }; /* values a rank: two arrays of 64 MiB, out of cache */

typedef struct {
    MPI_Comm comm;
    double *x, *y;
    size_t count;
    double result; /* kept, so that no work is optimised away */
} sum_work;

/* ---- What is added ---- */

typedef enum { UNIFORM, RESIDUAL, EQUAL, SPECTRA } spectrum;
static const char *const spectrum_name[SPECTRA] = {"uniform", "residual", "equal"};

/* The i-th of a stream of random numbers in [0, 1), whichever thread asks. */
static double random_at(uint64_t i)
{
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double value_at(spectrum s, uint64_t i)
{
    switch (s) {
    case UNIFORM:
        return random_at(i);
    case RESIDUAL: /* both signs, magnitudes over twelve decades */
        return (random_at(2 * i) - 0.5) * pow(10, -12 * random_at(2 * i + 1));
    default:
        return 0.1;
    }
}

static void fill(sum_work *work, spectrum s)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < work->count; i++) {
        work->x[i] = value_at(s, i);
        work->y[i] = value_at(s, i + work->count);
    }
}

/* ---- The plain sums ---- */

/* Enough independent partial sums that memory is the limit, not an addition's latency. */
enum { PARTIAL_SUMS = 32 };

static double plain_part(const double *x, const double *y, size_t count)
{
    double partial[PARTIAL_SUMS] = {0}, total = 0;
    size_t i = 0;
    for (; i + PARTIAL_SUMS <= count; i += PARTIAL_SUMS)
#pragma omp simd
        for (size_t k = 0; k < PARTIAL_SUMS; k++)
            partial[k] += y ? x[i + k] * y[i + k] : x[i + k];
    for (; i < count; i++)
        total += y ? x[i] * y[i] : x[i];
    for (size_t k = 0; k < PARTIAL_SUMS; k++)
        total += partial[k];
    return total;
}

static double plain_sum_of(const sum_work *work, const double *y)
{
    enum { CHUNK = 1 << 14 };
    double total = 0;
#pragma omp parallel for schedule(static) reduction(+ : total)
    for (size_t begin = 0; begin < work->count; begin += CHUNK) {
        size_t length = work->count - begin < CHUNK ? work->count - begin : CHUNK;
        total += plain_part(work->x + begin, y ? y + begin : NULL, length);
    }
    MPI_Allreduce(MPI_IN_PLACE, &total, 1, MPI_DOUBLE, MPI_SUM, work->comm);
    return total;
}

/* ---- What is timed ---- */

static void plain_sum(void *context)
{
    sum_work *work = context;
    work->result = plain_sum_of(work, NULL);
}

static void plain_dot(void *context)
{
    sum_work *work = context;
    work->result = plain_sum_of(work, work->y);
}

static void exact_sum(void *context)
{
    sum_work *work = context;
    work->result = sn_global_sum(work->comm, work->x, work->count);
}

static void exact_dot(void *context)
{
    sum_work *work = context;
    work->result = sn_global_dot(work->comm, work->x, work->y, work->count);
}

enum { REDUCTIONS = 100 };

static void plain_reductions(void *context)
{
    sum_work *work = context;
    for (int i = 0; i < REDUCTIONS; i++)
        MPI_Allreduce(MPI_IN_PLACE, &work->result, 1, MPI_DOUBLE, MPI_MAX, work->comm);
}

static void exact_reductions(void *context)
{
    sum_work *work = context;
    for (int i = 0; i < REDUCTIONS; i++) {
        sn_sum sum = {0};
        sn_sum_add(&sum, 1);
        sn_sum_allreduce(work->comm, &sum, 1);
        work->result = sn_sum_value(&sum);
    }
}

/* Values a second over all ranks. */
static double rate(sum_work *work, void (*timed)(void *context))
{
    double values = (double)work->count;
    MPI_Allreduce(MPI_IN_PLACE, &values, 1, MPI_DOUBLE, MPI_SUM, work->comm);
    return values / sn_bench_best_seconds(work->comm, timed, work);
}

static void report_spectrum(const sn_bench *bench, sum_work *work, spectrum s, double triad)
{
    char name[64];
    fill(work, s);
    double sum_limit = rate(work, plain_sum), dot_limit = rate(work, plain_dot);
    if (s == UNIFORM) { /* a plain sum takes the same time whatever it adds */
        sn_bench_report(bench, "sum/plain", sum_limit, "values/s", triad / sizeof(double));
        sn_bench_report(bench, "dot/plain", dot_limit, "values/s", triad / (2 * sizeof(double)));
    }
    snprintf(name, sizeof name, "sum/exact/%s", spectrum_name[s]);
    sn_bench_report(bench, name, rate(work, exact_sum), "values/s", sum_limit);
    snprintf(name, sizeof name, "dot/exact/%s", spectrum_name[s]);
    sn_bench_report(bench, name, rate(work, exact_dot), "values/s", dot_limit);
}

static void report_latency(const sn_bench *bench, sum_work *work)
{
    const double microseconds = 1e6 / REDUCTIONS;
    double plain = sn_bench_best_seconds(bench->comm, plain_reductions, work) * microseconds;
    double exact = sn_bench_best_seconds(bench->comm, exact_reductions, work) * microseconds;
    sn_bench_report(bench, "allreduce/exact", exact, "us", plain);
}

static sum_work new_work(MPI_Comm comm, size_t count)
{
    return (sum_work){comm, SN_NEW(double, count), SN_NEW(double, count), count, 0};
}

static void free_work(sum_work *work)
{
    sn_free(work->x);
    sn_free(work->y);
}

double sn_bench_plain_share(MPI_Comm comm, size_t count)
{
    sum_work work = new_work(comm, count);
    fill(&work, RESIDUAL);
    double exact = sn_bench_best_seconds(comm, exact_dot, &work);
    double plain = sn_bench_best_seconds(comm, plain_dot, &work);
    free_work(&work);
    return fmin(plain / exact, 1);
}

sn_status sn_bench_sum(const sn_bench *bench)
{
    size_t count = bench->size ? bench->size : DEFAULT_COUNT;
    double triad = sn_bench_triad(bench->comm, count);
    sum_work work = new_work(bench->comm, count);
    for (int s = 0; s < SPECTRA; s++)
        report_spectrum(bench, &work, (spectrum)s, triad);
    report_latency(bench, &work);
    free_work(&work);
    return SN_OK;
}
