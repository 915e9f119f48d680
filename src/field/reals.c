#include "field/reals.h"

#include "base/exact_sum.h"
#include "base/threads.h"
#include "base/work.h"

#define SN_PRECISION 32
#include "field/reals.inc"
#define SN_PRECISION 64
#include "field/reals.inc"
