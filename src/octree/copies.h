/* Nodes near leaves that are apart: each group of joined copies has its own (corners.h).
 *
 * Takes leaves as places with the corners that hang by geometry alone (nodes.h), and makes copies
 * of them with what is true for each. Everything far from leaves that are apart stays as it is. */
#ifndef SN_OCTREE_COPIES_H
#define SN_OCTREE_COPIES_H

#include "curve/lookup.h"
#include "octree/nodes.h"
#include "octree/pinches.h"

/* The places where a leaf that is apart has a corner, or a smaller leaf beside it can have one; and
 * those where leaves touch that nothing joins. */
typedef struct {
    sn_key *place; /* ascending */
    size_t n;
    sn_lookup lookup;
} sn_places_apart;

/* Not collective. */
sn_places_apart sn_places_apart_find(const sn_bonds *bonds, const sn_bodies *bodies);
void sn_places_apart_free(sn_places_apart *places);

/* Collective. `leaves` and `nodes` are those of all places but the ones apart, and become those of
 * copies; boundary nodes at the places apart are appended to the list. */
SN_CHECKED sn_status sn_copies_make(MPI_Comm comm, const sn_owners *owners, const sn_bonds *bonds,
                                    const sn_places_apart *places, sn_leaves *leaves,
                                    sn_nodes *nodes, sn_place_list *boundary);

#endif
