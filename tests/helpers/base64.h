/* For tests that write glTF files: bytes as text. */
#ifndef SN_TESTS_BASE64_H
#define SN_TESTS_BASE64_H

#include <string.h>

static inline void append_base64(char *out, const void *data, size_t bytes)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *at = data;
    out += strlen(out);
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned three = 0;
        for (size_t b = i; b < i + 3; b++)
            three = three << 8 | (b < bytes ? at[b] : 0);
        for (size_t d = 0; d < 4; d++) /* three bytes are four digits, two are three */
            *out++ = i + d <= bytes ? digit[three >> (18 - 6 * d) & 63] : '=';
    }
    *out = '\0';
}

#endif
