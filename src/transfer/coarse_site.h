/* Where a fine node lies in the coarse level, and what that makes of its interpolation
 * (section 7.2 of the paper).
 *
 *      6---7---8      A fine node is a corner of a fine element, and that element is its coarse
 *      |   |   |      element or a child of it. So the node is one of 27 lattice points of the
 *      3---4---5      coarse element (octree/family.h), and a site is small enough to
 *      |   |   |      travel: whoever has it can work out the weights.
 *      0---1---2
 *
 * A node may lie on the border of several coarse elements. The coarse functions are continuous
 * there, and those with the node's copy are joined, so each of them gives the same weights to the
 * same nodes: a row without zeros, along the
 * curve, does not depend on the element that was chosen, nor on the partition. */
#ifndef SN_TRANSFER_COARSE_SITE_H
#define SN_TRANSFER_COARSE_SITE_H

#include "transfer/containers.h"

enum {
    SN_ROW_ENTRIES = 8, /* at most so many coarse nodes for a fine one */
    SN_WEIGHT_ONE = 64, /* weights are multiples of 1/64 */
};

typedef struct {
    sn_key node;
    sn_key element; /* the coarse one */
    uint8_t height, hanging;
    uint8_t point; /* of its lattice */
    uint8_t known; /* 0 until it has been found */
    uint8_t padding[4];
    uint8_t node_copy[8]; /* of the coarse element's conforming nodes */
} sn_coarse_site;

/* The coarse nodes that a fine node is interpolated from, along the curve, and their weights in
 * units of 1/64; returns their number. */
int sn_coarse_site_row(const sn_coarse_site *site, sn_key keys[SN_ROW_ENTRIES],
                       uint8_t weights[SN_ROW_ENTRIES]);

/* Collective. The sites of this rank's fine nodes in node order; the caller frees them. */
SN_CHECKED sn_status sn_coarse_sites_find(const sn_octree *fine, const sn_containers *containers,
                                          sn_coarse_site **sites);

#endif
