/* Coarsening (section 7.1 of the paper): children become their parent where nothing deeper is
 * below it, the result is balanced again, and what the finer level does not have is dropped. */
#ifndef SN_OCTREE_COARSEN_H
#define SN_OCTREE_COARSEN_H

#include "octree/octree.h"

/* Collective. The next level, on at most `parts` ranks. The finer one comes to know the copies that
 * its elements are part of (octree.h). */
SN_CHECKED sn_status sn_octree_coarsen(sn_octree *fine, int parts, sn_partition_method method,
                                       sn_octree *coarse);

#endif
