/* Bonds: which octants' material is joined across their common faces.
 *
 *      +-------+-------+     A leaf that holds several parts of its body has a copy for each. A
 * bond
 *      |///    |       |     joins two copies in leaves with a common face whose material goes on
 *      |///  ..|.....  |     through it: here one of the left leaf's two copies with the right
 *      |/// :::|:::::: |     leaf's only one. The other copy ends before the face.
 *      +-------+-------+
 *
 * Nearly all leaves are whole: they have one copy, and it is joined to every leaf beyond its faces.
 * Nothing is kept of those. The others are apart: they have several copies, or are not joined to a
 * leaf beside them that is as large or larger. Two leaves of which one is apart are joined only if
 * there is a bond that says so.
 *
 * What follows from bonds is which leaves share a node (corners.h), and what the copies and bonds
 * of the next coarser level are (coarsen.c). */
#ifndef SN_OCTREE_BONDS_H
#define SN_OCTREE_BONDS_H

#include "base/array.h"
#include "base/status.h"
#include "curve/lookup.h"
#include "curve/search.h"
#include "octree/body.h"
#include "octree/leaves.h"

/* Of two copies, the one that is first on the curve first. */
typedef struct {
    sn_key low, high;
} sn_bond;

typedef SN_VECTOR(sn_bond) sn_bond_list;

static inline sn_bond sn_bond_of(sn_key a, sn_key b)
{
    return a < b ? (sn_bond){a, b} : (sn_bond){b, a};
}

/* What is known of leaves that lie on their owners. */
typedef struct {
    bool known;              /* on all ranks or on none; if not, all that touches is joined */
    uint8_t *copies;         /* of each leaf: at least 1 */
    uint8_t *apart;          /* each: 1 or 0 */
    bool all_bonds;          /* all bonds of all leaves are given: who is apart follows from them */
    sn_bond_list bonds;      /* of leaves that are apart, anywhere, any number of times */
    struct sn_bonds *placed; /* of sn_bonds_place, on all ranks or on none; NULL: not made yet */
} sn_joints;

void sn_joints_free(sn_joints *joints);

/* The same with the leaves of other ranks that touch this one's. */
typedef struct sn_bonds {
    bool any;           /* is a leaf of any rank apart? */
    sn_leaves around;   /* places of this rank's leaves and of those that touch them, ascending */
    size_t n_own;       /* of them */
    sn_local *own;      /* which those are */
    uint8_t *copies;    /* of each */
    uint8_t *apart;     /* each */
    sn_search search;   /* of the places */
    sn_lookup lookup;   /* of them, too: for walks along the curve */
    sn_bond_list bonds; /* of those that are apart: ascending, each once */
} sn_bonds;

/* Collective. Who is around `leaves`, and nothing of copies and bonds yet: enough for
 * sn_bonds_beyond. */
sn_bonds sn_bonds_place(MPI_Comm comm, const sn_owners *owners, const sn_bodies *bodies,
                        const sn_leaves *leaves);

/* Collective. `leaves` are places, balanced and on their owners; the joints are taken over.
 *
 * A corner that hangs on a larger leaf stands between nodes of that leaf, and element kernels
 * expect them at the other corners of the one which hangs. Where it would have others, it is joined
 * to the larger leaf, too. Where it only touches there it is not, or one bond would lead to the
 * next all along two fingers. */
SN_CHECKED sn_status sn_bonds_create(MPI_Comm comm, const sn_owners *owners,
                                     const sn_bodies *bodies, const sn_leaves *leaves,
                                     sn_joints joints, sn_bonds *bonds);
void sn_bonds_free(sn_bonds *bonds);

/* The copies of all leaves around: this rank's own along the curve, then the others as an exchange
 * keeps ghosts. */
typedef struct {
    size_t n_own, n_ghosts;
    sn_key *key;     /* of all of them */
    sn_local *first; /* of each leaf around: its first copy, after which come the others */
} sn_copy_numbers;

sn_copy_numbers sn_bonds_number(const sn_bonds *bonds, const sn_owners *owners);
void sn_copy_numbers_free(sn_copy_numbers *numbers);

/* Collective. Brings what their owners know of the ghosts: `values` has one of so many bytes for
 * each copy. */
SN_CHECKED sn_status sn_copy_numbers_bring(const sn_copy_numbers *numbers, MPI_Comm comm,
                                           const sn_owners *owners, void *values, size_t bytes);

/* The leaf around that holds a finest cell, or SN_NONE. */
sn_local sn_bonds_leaf_at(const sn_bonds *bonds, sn_key cell);

/* The leaf around that is beyond a face of a place of this height, if it is as large or larger;
 * else SN_NONE. Faces are numbered by axis, lower side first. Who walks has a memory. */
sn_local sn_bonds_beyond(const sn_bonds *bonds, const sn_bodies *bodies, sn_lookup_memory *memory,
                         sn_key place, int height, int face);

/* Are these copies of two leaves around joined? The leaves must have a common face. */
bool sn_bonds_joined(const sn_bonds *bonds, sn_local a, int copy_of_a, sn_local b, int copy_of_b);

/* Sorts bonds, and drops what is there twice. */
void sn_bonds_tidy(sn_bond_list *list);

#endif
