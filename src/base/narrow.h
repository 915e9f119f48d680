/* From double to single precision, for files. What is too large becomes the largest that there is,
 * not infinite: programs that read files draw and average what they find. */
#ifndef SN_BASE_NARROW_H
#define SN_BASE_NARROW_H

#include <float.h>

static inline float sn_narrow(double value)
{
    return value > (double)FLT_MAX ? FLT_MAX : value < -(double)FLT_MAX ? -FLT_MAX : (float)value;
}

#endif
