/* Data inside of an HTML page: nothing that is put there can end its element, whatever it is.
 *
 * Texts become strings of JSON, in which < and > and & are written by their numbers, and bytes
 * that are no printable UTF-8 become U+FFFD. Numbers become base64, little-endian. */
#ifndef SN_REPORT_EMBED_H
#define SN_REPORT_EMBED_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void sn_embed_text(FILE *out, const char *text, size_t length);

/* A number, or null where JSON has none. */
void sn_embed_number(FILE *out, double value);

/* Base64 as it comes, in pieces of any length. Starts as zero but for `out`. */
typedef struct {
    FILE *out;
    uint32_t bits;
    int bytes; /* that are in `bits` and not written yet */
} sn_base64;

void sn_base64_put_u16(sn_base64 *b, const uint16_t *values, size_t n);
void sn_base64_put_u32(sn_base64 *b, const uint32_t *values, size_t n);
void sn_base64_finish(sn_base64 *b);

#endif
