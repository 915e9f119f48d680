/* Packs: one real number for each element of a batch, in one vector register.
 *
 * Arithmetic on packs is GNU C's (+, -, *, / and comparisons lane by lane). What that lacks is
 * here: fused multiply-add, square root, selection. No operation lets one lane see another, so
 * an element's result has the same bits in every lane and beside any neighbours.
 *
 * The header hides the instruction set: only it names intrinsics, and each has a plain
 * equivalent for other machines. */
#ifndef SN_ELASTIC_SIMD_H
#define SN_ELASTIC_SIMD_H

#include "base/inline.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* The width of a pack; the memory layout of a batch follows from it. */
#if !defined(SN_PACK_BYTES) && defined(__AVX512F__)
#define SN_PACK_BYTES 64
#elif !defined(SN_PACK_BYTES)
#define SN_PACK_BYTES 32
#endif
#define SN_LANES_F32 (SN_PACK_BYTES / 4)
#define SN_LANES_F64 (SN_PACK_BYTES / 8)

/* A loop over lanes, corners or components of a hot kernel. It is always unrolled, so that the
 * arrays it goes through are registers at any level of optimisation. */
#if defined(__clang__)
#define SN_EACH(i, n) _Pragma("unroll") for (int i = 0; i < (n); i++)
#else
#define SN_EACH(i, n) _Pragma("GCC unroll 16") for (int i = 0; i < (n); i++)
#endif

/* Packs wider than the machine's registers work, too. How they would be passed to functions
 * differs between compilers, but none is: all is inlined, or passed by address. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* Eight numbers in another order: what was number i comes to place i ^ flip. */
SN_INLINE void sn_flip_eight(const int32_t from[8], int flip, int32_t to[8])
{
#if defined(__AVX2__)
    __m256i place = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7) ^ _mm256_set1_epi32(flip);
    __m256i all = _mm256_loadu_si256((const __m256i *)(const void *)from);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_permutevar8x32_epi32(all, place));
#else
    for (int i = 0; i < 8; i++)
        to[i ^ flip] = from[i];
#endif
}

#define SN_PRECISION 32
#include "elastic/simd.inc"
#define SN_PRECISION 64
#include "elastic/simd.inc"

#endif
