/* Which element does a point of a body follow?
 *
 *      +-------+      The one whose half-open cube [min, max) holds the point, so a point on a
 *      |   p   |      border has one element. A point in no element is tied to the last element
 *      | .     |      before its cell along its body's curve, or to the body's first if there is
 *      +-------+      none. Where the element has copies, the point's key says which one.
 *
 * Points are asked for by any rank and come to the rank that owns their element: each is handed
 * to the owner of its cell, where it lies in the last element before it on the curve. Only where
 * that element is another rank's it is handed on once more; a table with the last element of each
 * interval of the curve tells whose. */
#ifndef SN_OCTREE_LOCATE_H
#define SN_OCTREE_LOCATE_H

#include "curve/search.h"
#include "octree/octree.h"

/* Which copies the conforming nodes of an element are. */
typedef struct {
    sn_local element;
    uint8_t copy[8];
} sn_copied_nodes;

typedef struct {
    const sn_octree *tree;   /* the caller's */
    sn_leaves elements;      /* as sn_octree_elements gives them */
    sn_search search;        /* of the owned ones */
    sn_local n_copied;       /* of the owned ones, those with a node that is no first copy: few */
    sn_copied_nodes *copied; /* ascending */
    /* Keys plus one, so that 0 is "none". */
    sn_key *last_before; /* each interval: the last element in all intervals before it */
    sn_key *body_first;  /* each body: its first element */
} sn_locator;

/* Collective. The tree must stay. */
sn_locator sn_locator_create(const sn_octree *tree);
void sn_locator_free(sn_locator *locator);
size_t sn_locator_memory(const sn_locator *locator);

/* Which copies the conforming nodes of an owned element are. */
void sn_locator_node_copies(const sn_locator *locator, uint64_t element, uint8_t copy[8]);

/* The finest cell of a body at a point, or the grid's cell nearest to it: its first copy. */
sn_key sn_locate_cell(const sn_bodies *bodies, int body, const double at[3]);

/* Collective. Records of any size that start with the key of a cell, as above, come to the owners
 * of the elements that the cells' points follow, and start with the local number of that element
 * (64 bits) when they arrive. They are sorted by it. The caller frees `found`. */
SN_CHECKED sn_status sn_locate(const sn_locator *locator, size_t record_bytes, const void *records,
                               size_t n, void **found, size_t *n_found);

/* Coordinates of a point within an element of its body, 0 to 1. For a point outside of it, those
 * of the element's nearest point, the offset from there, and false. */
bool sn_locate_within(const sn_body *body, sn_key element, int height, const double at[3],
                      double local[3], double offset[3]);

#endif
