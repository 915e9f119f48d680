/* The exchange of element values: owners to the ghost elements of a level.
 *
 * Values live in one array in the order of octree.h: owned elements, then ghost elements along
 * the curve. Messages arrive grouped by owner, which on ParMETIS blocks is another order; the
 * difference is hidden here. One exchange can be under way at a time. */
#ifndef SN_OCTREE_ELEMENT_EXCHANGE_H
#define SN_OCTREE_ELEMENT_EXCHANGE_H

#include "octree/octree.h"

typedef struct {
    sn_exchange exchange;
    uint32_t *arrival; /* of each ghost element: its place by owner; NULL if it is the same */
    char *under_way;   /* values between begin and end */
    size_t bytes;      /* of one of them */
} sn_element_exchange;

/* Collective. */
SN_CHECKED sn_status sn_element_exchange_create(const sn_octree *tree, sn_element_exchange *x);
void sn_element_exchange_free(sn_element_exchange *x);

/* Starts to fill the ghost entries of `values` (n_elements + n_ghost_elements entries of `bytes`
 * bytes). Neither owned nor ghost entries may be touched before the end. */
void sn_element_exchange_begin(sn_element_exchange *x, void *values, size_t bytes);
void sn_element_exchange_end(sn_element_exchange *x);

size_t sn_element_exchange_memory(const sn_element_exchange *x);

#endif
