/* placeholder until merged */
#ifndef SN_BASE_DIGEST_H
#define SN_BASE_DIGEST_H
#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>
static inline uint64_t sn_digest_bytes(const void *p, size_t n) { return XXH3_64bits(p, n); }
#endif
