/* A hold: the element of a level that a point of a body follows, small enough to travel.
 *
 * Whoever has it can work out which conforming nodes the point hangs on, and with what weights:
 * the trilinear weights of the element's corners, passed on to the nodes that hanging corners lie
 * between. */
#ifndef SN_SPRINGS_HOLD_H
#define SN_SPRINGS_HOLD_H

#include "octree/locate.h"

typedef struct {
    sn_key element;
    uint8_t height, hanging;
    uint8_t padding[6];
} sn_hold;

enum { SN_HOLD_NODES = 8 };

/* The hold of an owned element. */
sn_hold sn_hold_of(const sn_locator *locator, uint64_t element);

/* The nodes that a point hangs on, all different, with weights that add up to 1, and what must be
 * added for a point outside of the element: its offset from the element's nearest point. */
void sn_hold_row(const sn_hold *hold, const sn_bodies *bodies, const double at[3],
                 sn_key node[SN_HOLD_NODES], double weight[SN_HOLD_NODES], double offset[3]);

/* In which eighth of the element a point lies, 0 to 7 as children are counted. */
int sn_hold_eighth(const sn_hold *hold, const sn_bodies *bodies, const double at[3]);

#endif
