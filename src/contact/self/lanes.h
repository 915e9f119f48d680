/* Sixteen numbers at once, as what is asked of sixteen boxes or triangles. */
#ifndef SN_CONTACT_SELF_LANES_H
#define SN_CONTACT_SELF_LANES_H

#include "base/inline.h"

#include <stdint.h>
#include <string.h>

enum { SN_SELF_LANES = 16 };

typedef float sn_lane_reals __attribute__((vector_size(4 * SN_SELF_LANES)));
typedef int32_t sn_lane_mask __attribute__((vector_size(4 * SN_SELF_LANES)));

SN_INLINE sn_lane_reals sn_lanes_load(const float from[SN_SELF_LANES])
{
    sn_lane_reals a;
    memcpy(&a, from, sizeof a);
    return a;
}

typedef float sn_lane_half __attribute__((vector_size(2 * SN_SELF_LANES)));
typedef float sn_lane_quarter __attribute__((vector_size(SN_SELF_LANES)));

SN_INLINE float sn_lanes_sum(sn_lane_reals a)
{
    sn_lane_half half[2];
    sn_lane_quarter quarter[2];
    memcpy(half, &a, sizeof half);
    half[0] += half[1];
    memcpy(quarter, half, sizeof quarter);
    quarter[0] += quarter[1];
    return (quarter[0][0] + quarter[0][1]) + (quarter[0][2] + quarter[0][3]);
}

/* NAN, if there is one, may be left out. */
SN_INLINE float sn_lanes_most(sn_lane_reals a)
{
    float most[SN_SELF_LANES];
    memcpy(most, &a, sizeof most);
    for (int n = SN_SELF_LANES / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++)
            most[i] = most[i] > most[i + n] ? most[i] : most[i + n];
    return most[0];
}

SN_INLINE sn_lane_mask sn_lanes_of_bytes(const uint8_t from[SN_SELF_LANES])
{
    typedef uint8_t bytes __attribute__((vector_size(SN_SELF_LANES)));
    bytes a;
    memcpy(&a, from, sizeof a);
    return __builtin_convertvector(a, sn_lane_mask);
}

/* A bit for each lane that is set. */
SN_INLINE unsigned sn_lanes_bits(sn_lane_mask lanes)
{
    typedef int32_t half __attribute__((vector_size(sizeof lanes / 2)));
    typedef int32_t quarter __attribute__((vector_size(sizeof lanes / 4)));
    lanes &= (sn_lane_mask){1,      1 << 1, 1 << 2,  1 << 3,  1 << 4,  1 << 5,  1 << 6,  1 << 7,
                            1 << 8, 1 << 9, 1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15};
    half halves[2];
    memcpy(halves, &lanes, sizeof halves);
    half both = halves[0] | halves[1];
    quarter quarters[2];
    memcpy(quarters, &both, sizeof quarters);
    quarter all = quarters[0] | quarters[1];
    return (unsigned)(all[0] | all[1] | all[2] | all[3]);
}

#endif
