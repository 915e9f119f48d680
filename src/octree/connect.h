/* From octants on their owners to ghosts, conforming nodes and the exchange. */
#ifndef SN_OCTREE_CONNECT_H
#define SN_OCTREE_CONNECT_H

#include "octree/octree.h"

/* Collective. `tree` has owners, octants and the owned elements' hanging bytes; the rest is
 * filled in. */
SN_CHECKED sn_status sn_octree_connect(sn_octree *tree);

/* Frees what sn_octree_connect made, but keeps the owned elements' hanging bytes. */
void sn_octree_disconnect(sn_octree *tree);

#endif
