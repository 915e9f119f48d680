/* 64-bit digests: of bytes, and of sets of records that are spread over ranks.
 *
 * A set's digest is the sum, modulo 2^64, of one hash for each record and its global index.
 * It starts at zero, and neither the order of the records nor the rank that holds them
 * matters; what stands at which index does. Parts of a set are joined by adding.
 *
 * The bytes are hashed as they lie in memory, little-endian (checked when compiled), so a
 * record must have no padding, and a digest of floats tells -0 from 0. The hash is xxHash's
 * XXH3, whose values are fixed: digests may be kept in files. */
#ifndef SN_BASE_DIGEST_H
#define SN_BASE_DIGEST_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

uint64_t sn_digest_bytes(const void *data, size_t bytes);

/* Adds one record to a set's digest. */
void sn_digest_add(uint64_t *digest, uint64_t global_index, const void *record, size_t bytes);
/* Adds `count` records that lie one after the other and have consecutive indices. */
void sn_digest_add_array(uint64_t *digest, uint64_t first_index, const void *records,
                         size_t record_bytes, size_t count);

/* Collective: the digest of the set that all ranks hold together. */
uint64_t sn_digest_allreduce(MPI_Comm comm, uint64_t mine);

#endif
