#include "io/text/utf8.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Bytes of the character that starts with this one; 0 if none does. */
static size_t length_from_first(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    return first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* The character of so many bytes, or 0 if they are not one, or in more bytes than it needs. */
static uint32_t decode(const unsigned char *bytes, size_t count)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t character = count == 1 ? bytes[0] : bytes[0] & (0x7Fu >> count);
    for (size_t i = 1; i < count; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        character = character << 6 | (bytes[i] & 0x3F);
    }
    return character < least[count] ? 0 : character;
}

static bool is_printable(uint32_t c)
{
    bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    bool line_separator = c == 0x2028 || c == 0x2029;
    bool surrogate = c >= 0xD800 && c < 0xE000;
    bool byte_order_mark = c == 0xFEFF;
    bool no_character = (c & 0xFFFE) == 0xFFFE || c > 0x10FFFF;
    return !(control || line_separator || surrogate || byte_order_mark || no_character);
}

size_t sn_utf8_span(const char *text, size_t length, const char *also)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    while (at < length) {
        size_t count = length_from_first(bytes[at]);
        if (count == 0 || count > length - at)
            break;
        uint32_t c = decode(bytes + at, count);
        bool allowed = c > 0 && c < 0x80 && strchr(also, (int)c);
        if (!allowed && !is_printable(c))
            break;
        at += count;
    }
    return at;
}
