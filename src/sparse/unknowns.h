/* Unknowns that a matrix has rows or columns for: in blocks, each with a key, on the rank that owns
 * the key. A block may be the three components of a node or the six motions of an aggregate; how
 * many reals it has is said by the matrix. Keys say nothing of a place here: they are names that do
 * not depend on ranks, and an order. */
#ifndef SN_SPARSE_UNKNOWNS_H
#define SN_SPARSE_UNKNOWNS_H

#include "base/index.h"
#include "partition/owners.h"

#include <mpi.h>

typedef struct {
    MPI_Comm comm;           /* the caller's */
    const sn_owners *owners; /* the caller's */
    sn_local n;              /* blocks of this rank */
    sn_key *key;             /* of them, ascending */
} sn_unknowns;

#endif
