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

/* The elements of a batch. Where something hangs, corners are counted from the one that the element
 * has in common with its parent: number c is corner c ^ child. There is a number of each in empty
 * lanes, too. */
typedef struct {
    const sn_local (*node)[8]; /* conforming nodes, counted so */
    const uint8_t *hanging;    /* bit c: what is number c hangs */
    const uint8_t *child;      /* which child of its parent; 0 where nothing hangs */
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

/* Bits of corners as they are counted from a child. */
SN_INLINE uint8_t sn_turned_bits(uint8_t bits, int child)
{
    static const uint8_t low[3] = {0x55, 0x33, 0x0f};
    for (int k = 0; k < 3; k++)
        if (child >> k & 1)
            bits = (uint8_t)((bits & low[k]) << (1 << k) | (bits >> (1 << k) & low[k]));
    return bits;
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
