/* Completion and 2:1 balance in one bottom-up sweep (sections 6 and 7.1 of the paper).
 *
 * Instead of leaves the sweep works on families: an octant of height h with a bit for each of
 * its eight children. A family is `required` when it must be split. From the finest height
 * up, two rules give all required families:
 *
 *   - the parent of a family is required (the tree is connected);
 *   - when a family is required, its 26 neighbours of the same height must exist at least
 *     as leaves, so the parents of those are required (2:1 across faces, edges, corners).
 *
 * The leaves of the balanced tree are then the children of required families that are not
 * required families themselves. Ripples run through empty space too: the tree is balanced as
 * if it were complete, and empty octants are dropped afterwards, as in the paper. Heights
 * are done once each, so no iteration is needed, and the result is a set that does not
 * depend on how the curve is cut.
 *
 * Families live on the rank that owns their anchor's key. */
#ifndef SN_OCTREE_BALANCE_H
#define SN_OCTREE_BALANCE_H

#include "base/array.h"
#include "octree/body.h"
#include "octree/leaves.h"
#include "partition/owners.h"

#include <mpi.h>

typedef struct {
    sn_key key;
    uint8_t internal; /* children that are required families */
    uint8_t present;  /* children that hold a part of the body */
    uint8_t required; /* 0 or 1 */
    uint8_t padding[5];
} sn_family;

typedef SN_VECTOR(sn_family) sn_family_list;

typedef struct {
    sn_family_list at[SN_MAX_HEIGHTS]; /* at[h]: families of height h, ascending keys */
} sn_families;

void sn_families_free(sn_families *families);

/* Appends to at[height], or joins the last one if it has the same key; keys must not fall. */
void sn_families_add(sn_families *families, int height, sn_family family);

/* Collective. From families that the input asks for (present children, required where they
 * must be split) to all families of the balanced tree. */
void sn_balance(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                sn_families *families);

/* The leaves: present children of required families that are not families themselves. A leaf
 * above `largest_height` of its body, if given, is cut down to it. Ascending. */
sn_leaves sn_families_leaves(const sn_families *families, const uint8_t *largest_height);

#endif
