#include "base/digest.h"

#define XXH_INLINE_ALL /* records are short: the call would cost as much as the hash */
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "digests are of little-endian bytes");

uint64_t sn_digest_bytes(const void *data, size_t bytes)
{
    return XXH3_64bits(data, bytes);
}

/* The index is hashed before it seeds the record's hash: with short records a raw seed is
 * only mixed with the bytes by exclusive-or, and one could make up for the other. */
static uint64_t record_hash(uint64_t global_index, const void *record, size_t bytes)
{
    uint64_t seed = XXH3_64bits(&global_index, sizeof global_index);
    return XXH3_64bits_withSeed(record, bytes, seed);
}

void sn_digest_add(uint64_t *digest, uint64_t global_index, const void *record, size_t bytes)
{
    *digest += record_hash(global_index, record, bytes);
}

void sn_digest_add_array(uint64_t *digest, uint64_t first_index, const void *records,
                         size_t record_bytes, size_t count)
{
    const char *record = records;
    for (size_t i = 0; i < count; i++, record += record_bytes)
        *digest += record_hash(first_index + i, record, record_bytes);
}

uint64_t sn_digest_allreduce(MPI_Comm comm, uint64_t mine)
{
    uint64_t all;
    MPI_Allreduce(&mine, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    return all;
}
