#include "report/embed.h"

#include "io/text/utf8.h"

#include <math.h>
#include <string.h>

static void put_character(FILE *out, char c)
{
    if (strchr("\"\\<>&", c) || (unsigned char)c < 0x20)
        fprintf(out, "\\u%04x", (unsigned)(unsigned char)c);
    else
        putc(c, out);
}

void sn_embed_text(FILE *out, const char *text, size_t length)
{
    putc('"', out);
    for (size_t at = 0; at < length;) {
        size_t good = sn_utf8_span(text + at, length - at, "\n\t");
        for (size_t i = 0; i < good; i++)
            put_character(out, text[at + i]);
        at += good;
        if (at < length && text[at] != '\r')
            fputs("\\ufffd", out);
        at += at < length;
    }
    putc('"', out);
}

void sn_embed_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.9g", value);
    else
        fputs("null", out);
}

/* ---- Base64 ---- */

static const char DIGIT[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put_byte(sn_base64 *b, uint32_t byte)
{
    b->bits = b->bits << 8 | (byte & 0xFF);
    if (++b->bytes < 3)
        return;
    for (int shift = 18; shift >= 0; shift -= 6)
        putc(DIGIT[b->bits >> shift & 63], b->out);
    b->bits = 0;
    b->bytes = 0;
}

void sn_base64_put_u16(sn_base64 *b, const uint16_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_byte(b, values[i]);
        put_byte(b, (uint32_t)values[i] >> 8);
    }
}

void sn_base64_put_u32(sn_base64 *b, const uint32_t *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (int shift = 0; shift < 32; shift += 8)
            put_byte(b, values[i] >> shift);
}

void sn_base64_finish(sn_base64 *b)
{
    int missing = b->bytes == 0 ? 0 : 3 - b->bytes;
    for (int i = 0; i < missing; i++)
        b->bits <<= 8;
    for (int i = 0; missing > 0 && i < 4; i++)
        putc(i < 4 - missing ? DIGIT[b->bits >> (18 - 6 * i) & 63] : '=', b->out);
    b->bits = 0;
    b->bytes = 0;
}
