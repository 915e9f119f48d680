/* Connected components inside containers: the owner of a container finds out which of its members
 * are joined, and names each component by its smallest member. */
#ifndef SN_RIGID_JOINED_H
#define SN_RIGID_JOINED_H

#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>

/* Two members of a container are joined. */
typedef struct {
    sn_key container, a, b;
} sn_link;

/* Sorts and drops duplicates; returns how many are left. */
size_t sn_links_unique(sn_link *bonds, size_t n);

/* Collective. Any rank may know any bond. For each of `n_members` bonds of a member with itself
 * `component` becomes the smallest member that it is joined to, through any number of others. */
void sn_joined_find(MPI_Comm comm, const sn_owners *owners, const sn_link *bonds, size_t n_bonds,
                    const sn_link *member, size_t n_members, sn_key *component);

#endif
