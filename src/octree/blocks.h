/* ParMETIS partitions: the curve is cut into many more blocks than ranks, and the graph of
 * blocks that share nodes is partitioned instead of the octants themselves. */
#ifndef SN_OCTREE_BLOCKS_H
#define SN_OCTREE_BLOCKS_H

#include "octree/octree.h"

enum { SN_BLOCKS_PER_RANK = 64 };

/* Collective. Repartitions a connected tree and connects it again; where ParMETIS has no usable
 * answer, warns once and leaves the tree on the curve. */
SN_CHECKED sn_status sn_octree_partition_blocks(sn_octree *tree, int parts);

#endif
