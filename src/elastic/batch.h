/* Batches of elements, as far as they are the same for all laws: a batch is as many neighbours
 * along the curve as a pack has lanes.
 *
 * Known here: how elements are laid out for the hot loops, how nodal values come to lanes and
 * back, modes and rotations; reference.h is the same in plain words. Not known: the law
 * (kernels.h), who owns an element or a node, and in which order contributions are added up.
 * Elements don't see each other: any lane, any neighbours, same bits. A batch that is not full
 * goes through the same code with empty lanes, whose shares are to be ignored.
 *
 * Everything exists for float (_f32) and double (_f64), from one source (packs.inc). */
#ifndef SN_ELASTIC_BATCH_H
#define SN_ELASTIC_BATCH_H

#include "base/index.h"
#include "elastic/hourglass.h"
#include "elastic/law.h"
#include "elastic/svd3.h"
#include "field/field.h"

#include <stdbool.h>

/* How many elements ahead of the batch a loop should call sn_prefetch, for the field it reads and
 * the one it adds to: a third faster on grids that no cache holds. */
enum { SN_PREFETCH_AHEAD = 64 };

/* The elements of a batch. */
typedef struct {
    const sn_local (*node)[8]; /* conforming nodes */
    const uint8_t *hanging;    /* bit c: corner c hangs */
    const uint8_t *child;      /* which child of its parent; read where something hangs */
    int count;                 /* lanes that are not empty: at least 1 */
    const float *point;        /* where F is asked for (sn_points); NULL: at the centres */
} sn_lanes;

enum { SN_POINT_STRIDE = SN_LANES_F32 }; /* from a coordinate of a point to the next one */

/* The number of the pair's corner that has the bit unset: pairs 0 to 3 are the edges along it. */
SN_INLINE int sn_pair_low(int pair, int bit)
{
    return pair >> bit << (bit + 1) | (pair & ((1 << bit) - 1));
}

/* A mode's value at a corner: the product of the corner's signs along the mode's axes. */
SN_INLINE int sn_mode_sign(int mode, int corner)
{
    int low = mode & ~corner;
    return (low ^ low >> 1 ^ low >> 2) & 1 ? -1 : 1;
}

/* Of the modes 3, 5, 6 the one whose axes are not this one: its component along it twists. */
SN_INLINE int sn_twisted_mode(int axis)
{
    return 7 ^ 1 << axis;
}

SN_INLINE bool sn_any_hanging(const uint8_t *hanging, int count)
{
    uint8_t any = 0;
    for (int lane = 0; lane < count; lane++)
        any |= hanging[lane];
    return any != 0;
}

#define SN_PRECISION 32
#include "elastic/transpose.inc"
#define SN_PRECISION 64
#include "elastic/transpose.inc"

#define SN_PRECISION 32
#include "elastic/lanes.inc"
#define SN_PRECISION 64
#include "elastic/lanes.inc"

#define SN_PRECISION 32
#include "elastic/rotation.inc"
#define SN_PRECISION 64
#include "elastic/rotation.inc"

#define SN_PRECISION 32
#include "elastic/hourglass.inc"
#define SN_PRECISION 64
#include "elastic/hourglass.inc"

#define SN_PRECISION 32
#include "elastic/batch.inc"
#define SN_PRECISION 64
#include "elastic/batch.inc"

/* As many batches of double precision have the lanes of one in single precision. */
enum { SN_BATCHES_TO_NARROW = SN_LANES_F32 / SN_LANES_F64 };

#endif
