/* Numbers out of binary files, in either byte order, from any address. */
#ifndef SN_IO_TEXT_BYTE_ORDER_H
#define SN_IO_TEXT_BYTE_ORDER_H

#include <stdint.h>
#include <string.h>

typedef enum { SN_LITTLE_ENDIAN, SN_BIG_ENDIAN } sn_byte_order;

/* `bytes` is 1, 2, 4 or 8. */
static inline uint64_t sn_read_unsigned(const char *at, int bytes, sn_byte_order order)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++) {
        int from = order == SN_BIG_ENDIAN ? i : bytes - 1 - i;
        value = value << 8 | (unsigned char)at[from];
    }
    return value;
}

static inline uint32_t sn_read_u32(const char *at, sn_byte_order order)
{
    return (uint32_t)sn_read_unsigned(at, 4, order);
}

static inline float sn_read_f32(const char *at, sn_byte_order order)
{
    uint32_t bits = sn_read_u32(at, order);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double sn_read_f64(const char *at, sn_byte_order order)
{
    uint64_t bits = sn_read_unsigned(at, 8, order);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
