/* Where a shot's elements are inverted: for saying so in words. */
#ifndef SN_SHOT_FOLDED_H
#define SN_SHOT_FOLDED_H

#include "shot/shot.h"

/* Of one body. */
typedef struct {
    int64_t count;          /* elements whose det F at the centre is not positive */
    double least;           /* the least determinant; INFINITY: there is no element */
    double now[3], rest[3]; /* about the centre of that element */
} sn_folded;

/* Collective: an entry for each body, the same on all ranks; the caller frees them. Slivers without
 * flesh are left out, as from frames.csv. */
sn_folded *sn_shot_folded(sn_shot *shot);

#endif
