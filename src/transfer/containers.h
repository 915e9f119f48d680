/* The coarse elements that contain this rank's fine elements.
 *
 * The two levels have partitions of their own, so the owner of a coarse element pushes it to
 * every rank that owns a part of its run of fine keys. An element that is replaced by its parent
 * lies in the parent; one that stays lies in itself (section 7.1 of the paper). Of the copies that
 * a coarse element has, each fine one is part of one. */
#ifndef SN_TRANSFER_CONTAINERS_H
#define SN_TRANSFER_CONTAINERS_H

#include "octree/octree.h"

typedef struct {
    sn_key key;
    uint8_t height, hanging;
    uint8_t padding[6];
    uint8_t node_copy[8]; /* of its conforming nodes */
} sn_container;

typedef struct {
    sn_container *container; /* along the curve; some may hold nothing of this rank */
    size_t n;
    sn_local *of_element; /* for each owned fine element: which of them contains it */
} sn_containers;

/* Collective. `coarse` was made by sn_octree_coarsen from `fine`, or, for who only wants to know
 * what contains what, from a level that was. */
SN_CHECKED sn_status sn_containers_find(const sn_octree *fine, const sn_octree *coarse,
                                        sn_containers *containers);
void sn_containers_free(sn_containers *containers);

#endif
