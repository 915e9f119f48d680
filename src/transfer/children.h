/* The fine elements inside each coarse element, for what belongs to elements: the parameters of
 * their law and deformation gradients (section 7.3 and algorithm 4 of the paper).
 *
 * A coarse element's children are added by its owner, along the curve: the same bits on any
 * number of ranks. Children of other ranks are brought by an exchange, so an array of fine values
 * needs room for them behind this rank's own elements. */
#ifndef SN_TRANSFER_CHILDREN_H
#define SN_TRANSFER_CHILDREN_H

#include "elastic/law.h"
#include "transfer/containers.h"

typedef struct {
    sn_local n;      /* owned coarse elements */
    sn_local *first; /* n + 1: into `child` */
    sn_local *child; /* own fine elements, then those that the exchange brings */
    uint8_t *same;   /* the only child is the coarse element itself: it was not coarsened */
    sn_exchange exchange;
} sn_children;

/* Collective. */
SN_CHECKED sn_status sn_children_create(const sn_octree *fine, const sn_octree *coarse,
                                        const sn_containers *containers, sn_children *children);
void sn_children_free(sn_children *children);

static inline sn_local sn_children_count(const sn_children *children, sn_local coarse)
{
    return children->first[coarse + 1] - children->first[coarse];
}

/* Collective, as what follows. Parameters of the law, as it says (sn_law_coarsened); an element
 * that was not coarsened keeps its own. */
void sn_coarsen_parameters(sn_children *children, sn_law_kind law, sn_law_parameters *fine,
                           sn_law_parameters *coarse);

/* The mean over the children that exist. For the 9 reals of deformation gradients. */
void sn_coarsen_gradient(sn_children *children, int reals, float *fine, float *coarse);

size_t sn_children_memory(const sn_children *children);

#endif
