#include "base/exact_sum.h"

#include "base/work.h"

#include <math.h>
#include <string.h>

enum {
    LIMB_BITS = 32,
    FRACTION_BITS = 52,
    EXPONENT_MASK = 0x7ff,
};
#define LIMB_MASK 0xffffffffu
#define MOST_LOAD ((int64_t)1 << 30)

_Static_assert(sizeof(sn_sum) == (SN_SUM_LIMBS + 4) * sizeof(int64_t), "MPI sees int64_t only");

/* Carries until every limb but the signed top one is in [0, 2^32). */
static void normalise(sn_sum *sum)
{
    for (int i = 0; i + 1 < SN_SUM_LIMBS; i++) {
        sum->limb[i + 1] += sum->limb[i] >> LIMB_BITS;
        sum->limb[i] &= LIMB_MASK;
    }
    sum->load = 1;
}

void sn_sum_add_integer(sn_sum *sum, int64_t integer, int exponent)
{
    unsigned bit = (unsigned)(exponent - SN_SUM_LOWEST_EXPONENT);
    uint64_t magnitude = integer < 0 ? -(uint64_t)integer : (uint64_t)integer;
    unsigned __int128 shifted = (unsigned __int128)magnitude << (bit % LIMB_BITS);
    int64_t sign = integer < 0 ? -1 : 1;
    int64_t *limb = sum->limb + bit / LIMB_BITS;
    limb[0] += sign * (int64_t)(shifted & LIMB_MASK);
    limb[1] += sign * (int64_t)((shifted >> LIMB_BITS) & LIMB_MASK);
    limb[2] += sign * (int64_t)(shifted >> (2 * LIMB_BITS));
    if (++sum->load >= MOST_LOAD)
        normalise(sum);
}

static void count_special(sn_sum *sum, double term)
{
    if (isnan(term))
        sum->nans++;
    else if (term > 0)
        sum->plus_infinities++;
    else
        sum->minus_infinities++;
}

void sn_sum_add(sn_sum *sum, double term)
{
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    int exponent = (int)(bits >> FRACTION_BITS) & EXPONENT_MASK;
    int64_t fraction = (int64_t)(bits & (((uint64_t)1 << FRACTION_BITS) - 1));
    if (exponent == EXPONENT_MASK) {
        count_special(sum, term);
        return;
    }
    if (exponent > 0) { /* a normal number: the leading one is not stored */
        fraction |= (int64_t)1 << FRACTION_BITS;
        exponent--;
    }
    sn_sum_add_integer(sum, bits >> 63 ? -fraction : fraction, SN_SUM_LOWEST_EXPONENT + exponent);
}

void sn_sum_merge(sn_sum *sum, const sn_sum *other)
{
    sn_sum light = *other;
    if (sum->load + light.load >= MOST_LOAD) {
        normalise(sum);
        normalise(&light);
    }
    for (int i = 0; i < SN_SUM_LIMBS; i++)
        sum->limb[i] += light.limb[i];
    sum->load += light.load;
    sum->nans += light.nans;
    sum->plus_infinities += light.plus_infinities;
    sum->minus_infinities += light.minus_infinities;
}

static void negate(sn_sum *sum)
{
    for (int i = 0; i < SN_SUM_LIMBS; i++)
        sum->limb[i] = -sum->limb[i];
    normalise(sum);
}

/* The highest bit that is set in a normalised sum that is not negative; -1 for zero. */
static int highest_bit(const sn_sum *sum)
{
    for (int i = SN_SUM_LIMBS - 1; i >= 0; i--)
        if (sum->limb[i])
            return LIMB_BITS * i + 63 - __builtin_clzll((unsigned long long)sum->limb[i]);
    return -1;
}

static uint64_t bit_of(const sn_sum *sum, int bit)
{
    return (uint64_t)(sum->limb[bit / LIMB_BITS] >> (bit % LIMB_BITS)) & 1;
}

static int any_bit_below(const sn_sum *sum, int bit)
{
    for (int i = 0; i < bit / LIMB_BITS; i++)
        if (sum->limb[i])
            return 1;
    int64_t below = ((int64_t)1 << (bit % LIMB_BITS)) - 1;
    return (sum->limb[bit / LIMB_BITS] & below) != 0;
}

/* Rounds a normalised sum that is not negative to the nearest double, ties to even. */
static double rounded(const sn_sum *sum)
{
    int highest = highest_bit(sum);
    int lowest = highest > FRACTION_BITS ? highest - FRACTION_BITS : 0;
    if (lowest + SN_SUM_LOWEST_EXPONENT > 1023 - FRACTION_BITS)
        return INFINITY;
    uint64_t kept = 0;
    for (int bit = highest; bit >= lowest; bit--)
        kept = 2 * kept + bit_of(sum, bit);
    if (lowest > 0 && bit_of(sum, lowest - 1))
        kept += kept & 1 || any_bit_below(sum, lowest - 1);
    return ldexp((double)kept, lowest + SN_SUM_LOWEST_EXPONENT);
}

double sn_sum_value(const sn_sum *sum)
{
    if (sum->nans || (sum->plus_infinities && sum->minus_infinities))
        return NAN;
    if (sum->plus_infinities || sum->minus_infinities)
        return sum->plus_infinities ? INFINITY : -INFINITY;
    sn_sum magnitude = *sum;
    normalise(&magnitude);
    if (magnitude.limb[SN_SUM_LIMBS - 1] >= 0)
        return rounded(&magnitude);
    negate(&magnitude);
    return -rounded(&magnitude);
}

void sn_sum_allreduce(MPI_Comm comm, sn_sum *sums, int count)
{
    sn_work_begin(SN_WORK_SUMS);
    /* Normalised limbs are below 2^32: no number of ranks makes their sum overflow. */
    for (int i = 0; i < count; i++)
        normalise(&sums[i]);
    const int members = (int)(sizeof *sums / sizeof(int64_t));
    MPI_Allreduce(MPI_IN_PLACE, sums, count * members, MPI_INT64_T, MPI_SUM, comm);
    for (int i = 0; i < count; i++)
        normalise(&sums[i]);
    sn_work_end();
}

double sn_global_sum(MPI_Comm comm, const double *x, size_t count)
{
    sn_sum sum = {0};
    sn_sum_add_array_threaded(&sum, x, count);
    sn_sum_allreduce(comm, &sum, 1);
    return sn_sum_value(&sum);
}

double sn_global_dot(MPI_Comm comm, const double *x, const double *y, size_t count)
{
    sn_sum sum = {0};
    sn_sum_add_dot_threaded_f64(&sum, x, y, count);
    sn_sum_allreduce(comm, &sum, 1);
    return sn_sum_value(&sum);
}
