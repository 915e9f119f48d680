/* Moving octants and their data to a new partition.
 *
 * A plan is made once from the keys; then any number of arrays with one entry for each key
 * move along it. What arrives is in the order of the curve; entries with equal keys keep
 * their order. Make one plan for octants, one for elements, one for nodes as needed. */
#ifndef SN_PARTITION_MIGRATE_H
#define SN_PARTITION_MIGRATE_H

#include "partition/owners.h"

#include <mpi.h>
#include <stddef.h>

typedef struct {
    MPI_Comm comm;
    size_t n_before, n_after;
    int *destination; /* of each entry before */
    sn_key *keys;     /* of the entries after, ascending */
    uint32_t *order;  /* arrival number of each entry after; NULL when it is the same */
} sn_migration;

/* Collective. `keys` are the entries this rank has now. */
sn_migration sn_migration_create(MPI_Comm comm, const sn_key *keys, size_t n,
                                 const sn_owners *owners);
void sn_migration_free(sn_migration *migration);

/* Collective. Returns the n_after entries of `bytes` bytes that this rank has then. */
void *sn_migrate(const sn_migration *migration, size_t bytes, const void *entries);

#endif
