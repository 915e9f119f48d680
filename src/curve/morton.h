/* Morton keys: three 16-bit coordinates interleaved into 48 bits, x lowest.
 *
 *     bit 3i = x_i,  bit 3i + 1 = y_i,  bit 3i + 2 = z_i
 *
 * Hides how the bits are spread: one instruction where the processor has it (BMI2), shifts and
 * masks elsewhere. Both are here on every machine that can, so that a test compares them. */
#ifndef SN_CURVE_MORTON_H
#define SN_CURVE_MORTON_H

#include <stdint.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#define SN_MORTON_X UINT64_C(0x249249249249)

/* Bit i of a 16-bit number goes to bit 3i. */
static inline uint64_t sn_morton_spread(uint32_t coordinate)
{
    uint64_t bits = coordinate & 0xffffu;
    bits = (bits | bits << 16) & UINT64_C(0x0000ff0000ff);
    bits = (bits | bits << 8) & UINT64_C(0x00f00f00f00f);
    bits = (bits | bits << 4) & UINT64_C(0x0c30c30c30c3);
    return (bits | bits << 2) & SN_MORTON_X;
}

/* Bit 3i of a key goes to bit i; the other bits are dropped. */
static inline uint32_t sn_morton_gather(uint64_t key)
{
    uint64_t bits = key & SN_MORTON_X;
    bits = (bits | bits >> 2) & UINT64_C(0x0c30c30c30c3);
    bits = (bits | bits >> 4) & UINT64_C(0x00f00f00f00f);
    bits = (bits | bits >> 8) & UINT64_C(0x0000ff0000ff);
    return (uint32_t)((bits | bits >> 16) & 0xffffu);
}

static inline uint64_t sn_morton_portable(uint32_t x, uint32_t y, uint32_t z)
{
    return sn_morton_spread(x) | sn_morton_spread(y) << 1 | sn_morton_spread(z) << 2;
}

static inline void sn_morton_decode_portable(uint64_t key, uint32_t xyz[3])
{
    for (int d = 0; d < 3; d++)
        xyz[d] = sn_morton_gather(key >> d);
}

/* The key of a cell; each coordinate is below 65,536. */
static inline uint64_t sn_morton(uint32_t x, uint32_t y, uint32_t z)
{
#ifdef __BMI2__
    return _pdep_u64(x, SN_MORTON_X) | _pdep_u64(y, SN_MORTON_X << 1) |
           _pdep_u64(z, SN_MORTON_X << 2);
#else
    return sn_morton_portable(x, y, z);
#endif
}

static inline void sn_morton_decode(uint64_t key, uint32_t xyz[3])
{
#ifdef __BMI2__
    for (int d = 0; d < 3; d++)
        xyz[d] = (uint32_t)_pext_u64(key, SN_MORTON_X << d);
#else
    sn_morton_decode_portable(key, xyz);
#endif
}

#endif
