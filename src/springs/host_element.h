/* A point's host element: the one of a level that the point is embedded in and moves with, small
 * enough to travel.
 *
 * Whoever has it can work out which conforming nodes the point hangs on, and with what weights:
 * the trilinear weights of the element's corners, passed on to the nodes that hanging corners lie
 * between. */
#ifndef SN_SPRINGS_HOST_ELEMENT_H
#define SN_SPRINGS_HOST_ELEMENT_H

#include "octree/locate.h"
#include "springs/spring.h"

typedef struct {
    sn_key key;
    uint8_t height, hanging;
    uint8_t coarse_copy; /* of the coarser element that it is part of */
    uint8_t padding[5];
    uint8_t node_copy[8]; /* of its conforming nodes */
} sn_host_element;

enum { SN_HOST_NODES = 8 };

/* An owned element as a host. */
sn_host_element sn_host_element_of(const sn_locator *locator, uint64_t element);

/* The finest cell and copy whose element is a point's host. */
sn_key sn_host_cell(const sn_bodies *bodies, const sn_flesh_point *point);

/* The nodes that a point hangs on, all different, with weights that add up to 1, and what must be
 * added for a point outside of the element: its offset from the element's nearest point. A point
 * that has a carrier is never outside: there weights are negative, or above 1. */
void sn_host_element_row(const sn_host_element *host, const sn_bodies *bodies,
                         const sn_flesh_point *point, sn_key node[SN_HOST_NODES],
                         double weight[SN_HOST_NODES], double offset[3]);

/* In which eighth of the element a point lies, 0 to 7 as children are counted. */
int sn_host_element_eighth(const sn_host_element *host, const sn_bodies *bodies,
                           const double at[3]);

#endif
