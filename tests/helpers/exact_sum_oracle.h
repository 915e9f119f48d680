/* A slow, obvious exact sum: one counter for each bit that a double can have, schoolbook
 * carries, rounding by hand. Finite terms only. */
#ifndef SN_TESTS_EXACT_SUM_ORACLE_H
#define SN_TESTS_EXACT_SUM_ORACLE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORACLE_BITS = 2300, ORACLE_LOWEST = -1074, PRECISION = 53 };

typedef struct {
    long bit[ORACLE_BITS];
} oracle;

static inline void oracle_add(oracle *o, double term)
{
    int exponent;
    long mantissa = (long)ldexp(frexp(term, &exponent), PRECISION);
    int lowest = exponent - PRECISION - ORACLE_LOWEST;
    for (; lowest < 0; lowest++) /* a subnormal has zeros here */
        mantissa /= 2;
    long sign = mantissa < 0 ? -1 : 1;
    for (mantissa = labs(mantissa); mantissa; mantissa /= 2)
        o->bit[lowest++] += sign * (mantissa % 2);
}

static inline void oracle_carry(oracle *o)
{
    for (int i = 0; i + 1 < ORACLE_BITS; i++) {
        long digit = ((o->bit[i] % 2) + 2) % 2;
        o->bit[i + 1] += (o->bit[i] - digit) / 2;
        o->bit[i] = digit;
    }
}

static inline double oracle_magnitude(const oracle *o)
{
    int top = ORACLE_BITS - 1;
    while (top > 0 && !o->bit[top])
        top--;
    int lowest = top >= PRECISION ? top - PRECISION + 1 : 0;
    double value = 0;
    for (int i = top; i >= lowest; i--)
        value += o->bit[i] ? ldexp(1, i + ORACLE_LOWEST) : 0;
    int sticky = 0;
    for (int i = 0; i < lowest - 1; i++)
        sticky |= o->bit[i] != 0;
    if (lowest > 0 && o->bit[lowest - 1] && (sticky || o->bit[lowest]))
        value += ldexp(1, lowest + ORACLE_LOWEST);
    return value;
}

static inline double oracle_sum(const double *x, size_t count)
{
    static oracle o;
    memset(&o, 0, sizeof o);
    for (size_t i = 0; i < count; i++)
        oracle_add(&o, x[i]);
    oracle_carry(&o);
    if (o.bit[ORACLE_BITS - 1] >= 0)
        return oracle_magnitude(&o);
    for (int i = 0; i < ORACLE_BITS; i++)
        o.bit[i] = -o.bit[i];
    oracle_carry(&o);
    return -oracle_magnitude(&o);
}

#endif
