/* Invariants of a stress, from what it is along its three axes. */
#ifndef SN_TESTS_VON_MISES_H
#define SN_TESTS_VON_MISES_H

#include <math.h>

static inline double von_mises_of(const double principal[3])
{
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += pow(principal[i] - principal[(i + 1) % 3], 2);
    return sqrt(sum / 2);
}

static inline double pressure_of(const double principal[3])
{
    return -(principal[0] + principal[1] + principal[2]) / 3;
}

#endif
