/* Values of elements to the ranks that have them as ghosts. */
#ifndef SN_ELASTIC_ELEMENT_EXCHANGE_H
#define SN_ELASTIC_ELEMENT_EXCHANGE_H

#include "octree/octree.h"

/* Collective. `values` has `width` reals for each local element; those of the owned ones are
 * given, those of the ghosts are filled in. For set-up: it makes its lists anew each time. */
SN_CHECKED sn_status sn_elements_to_ghosts(const sn_octree *tree, double *values, int width);

#endif
