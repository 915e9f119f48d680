/* The order-independent sum.
 *
 * An sn_sum holds a sum of doubles exactly, as one long integer that covers every bit a
 * double can have, and is rounded once, to nearest even, when its value is asked for. So
 * the value cannot depend on the order of the terms, on threads, on ranks or on where an
 * array is cut. Room for 2^63 terms of any size.
 *
 *     limb     0        1        2            64       65       66       67
 *          [32 bits][32 bits][32 bits] ... [32 bits][32 bits][head room, signed]
 *     bit   2^-1074                             2^1023
 *
 * Not-a-numbers and infinities are counted beside the limbs and decide the value as in
 * IEEE arithmetic. Overflow only happens to the value, never on the way to it. The sign of
 * a zero sum is plus.
 *
 * What is hidden: arrays are added by a SIMD front end (exact_sum_array.c), which splits
 * blocks of values into slices whose floating-point sums are exact; its cost is near that
 * of a plain sum. sn_sum_add is the plain reference that the front end is held to. The
 * rounding mode must be to nearest, and subnormals must not be flushed to zero. */
#ifndef SN_BASE_EXACT_SUM_H
#define SN_BASE_EXACT_SUM_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

enum { SN_SUM_LIMBS = 68, SN_SUM_LOWEST_EXPONENT = -1074 };

/* All members are int64_t, so that several sums are one array to MPI. Zeroed memory is an
 * empty sum. */
typedef struct {
    int64_t limb[SN_SUM_LIMBS];
    int64_t load; /* no limb is larger than load * 2^32 in magnitude */
    int64_t nans, plus_infinities, minus_infinities;
} sn_sum;

void sn_sum_add(sn_sum *sum, double term);
/* Adds integer * 2^exponent, for SN_SUM_LOWEST_EXPONENT <= exponent <= 1023. */
void sn_sum_add_integer(sn_sum *sum, int64_t integer, int exponent);
void sn_sum_merge(sn_sum *sum, const sn_sum *other);
double sn_sum_value(const sn_sum *sum);

/* One thread adds a whole array. A dot product's terms are the products rounded to double
 * (those of floats are exact), so it too has one well-defined value. */
void sn_sum_add_array(sn_sum *sum, const double *x, size_t count);
void sn_sum_add_dot_f64(sn_sum *sum, const double *x, const double *y, size_t count);
void sn_sum_add_dot_f32(sn_sum *sum, const float *x, const float *y, size_t count);

/* Terms that come one by one, added up as arrays are: they wait for others. Zeroed memory is an
 * empty one; the sum is right after a flush. */
enum { SN_SUM_WAITING = 1024 };
typedef struct {
    sn_sum sum;
    size_t waiting;
    double term[SN_SUM_WAITING];
} sn_sum_queue;

void sn_sum_flush(sn_sum_queue *queue);

static inline void sn_sum_push(sn_sum_queue *queue, double term)
{
    if (queue->waiting == SN_SUM_WAITING)
        sn_sum_flush(queue);
    queue->term[queue->waiting++] = term;
}

/* The same with all OpenMP threads of the rank; not from inside a parallel region. */
void sn_sum_add_array_threaded(sn_sum *sum, const double *x, size_t count);
void sn_sum_add_dot_threaded_f64(sn_sum *sum, const double *x, const double *y, size_t count);
void sn_sum_add_dot_threaded_f32(sn_sum *sum, const float *x, const float *y, size_t count);

/* Collective: each of `count` sums becomes the sum over all ranks, with one reduction. */
void sn_sum_allreduce(MPI_Comm comm, sn_sum *sums, int count);

/* Collective: the sum over all ranks' arrays (any of them may be empty). */
double sn_global_sum(MPI_Comm comm, const double *x, size_t count);
double sn_global_dot(MPI_Comm comm, const double *x, const double *y, size_t count);

#endif
