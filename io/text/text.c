#include "io/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

sn_text sn_text_open(const char *text, size_t bytes, bool continues)
{
    return (sn_text){.at = text, .end = text + bytes, .line = 1, .continues = continues};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

/* Bytes of the line end at p: 0 if there is none. */
static int line_end_length(const char *p, const char *end)
{
    if (p == end || !is_line_end(*p))
        return 0;
    return *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
}

static bool skip_continuation(sn_text *text)
{
    if (!text->continues || text->at == text->end || *text->at != '\\')
        return false;
    int length = line_end_length(text->at + 1, text->end);
    if (length == 0)
        return false;
    text->at += 1 + length;
    text->line++;
    return true;
}

bool sn_text_more_on_line(sn_text *text)
{
    for (;;)
        if (text->at < text->end && is_blank(*text->at))
            text->at++;
        else if (!skip_continuation(text))
            break;
    return text->at < text->end && !is_line_end(*text->at);
}

bool sn_text_more(sn_text *text)
{
    while (!sn_text_more_on_line(text)) {
        if (text->at == text->end)
            return false;
        sn_text_next_line(text);
    }
    return true;
}

void sn_text_next_line_of_file(sn_text *text)
{
    while (text->at < text->end && !is_line_end(*text->at))
        text->at++;
    int length = line_end_length(text->at, text->end);
    text->at += length;
    text->line += length > 0;
}

void sn_text_next_line(sn_text *text)
{
    while (text->at < text->end && !is_line_end(*text->at))
        if (!skip_continuation(text))
            text->at++;
    sn_text_next_line_of_file(text);
}

bool sn_text_at_word_end(const sn_text *text)
{
    if (text->at == text->end || is_blank(*text->at) || is_line_end(*text->at))
        return true;
    return text->continues && *text->at == '\\' && line_end_length(text->at + 1, text->end) > 0;
}

sn_word sn_text_word(sn_text *text)
{
    sn_text_more_on_line(text);
    sn_word word = {text->at, 0};
    while (!sn_text_at_word_end(text))
        text->at++;
    word.length = (size_t)(text->at - word.start);
    return word;
}

bool sn_word_is(sn_word word, const char *expected)
{
    return word.length == strlen(expected) && memcmp(word.start, expected, word.length) == 0;
}

bool sn_word_is_nocase(sn_word word, const char *expected)
{
    return word.length == strlen(expected) && strncasecmp(word.start, expected, word.length) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool skip_sign(sn_text *text)
{
    bool negative = text->at < text->end && *text->at == '-';
    if (text->at < text->end && (*text->at == '-' || *text->at == '+'))
        text->at++;
    return negative;
}

bool sn_text_digits(sn_text *text, int64_t *value)
{
    sn_text after = *text;
    bool negative = skip_sign(&after);
    const char *first = after.at;
    int64_t sum = 0;
    for (; after.at < after.end && is_digit(*after.at); after.at++)
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, *after.at - '0', &sum))
            return false;
    if (after.at == first)
        return false;
    *value = negative ? -sum : sum;
    *text = after;
    return true;
}

/* digits * 10^exponent */
typedef struct {
    uint64_t digits;
    int64_t exponent;
    bool negative;
} decimal;

/* False if this is not a plain decimal number or has too many digits for the struct. */
static bool read_decimal(sn_text *text, decimal *number)
{
    enum { MOST_DIGITS = 18 };
    *number = (decimal){.negative = skip_sign(text)};
    int n_digits = 0;
    bool after_point = false;
    for (; text->at < text->end; text->at++)
        if (*text->at == '.' && !after_point) {
            after_point = true;
        } else if (is_digit(*text->at) && n_digits < MOST_DIGITS) {
            number->digits = 10 * number->digits + (uint64_t)(*text->at - '0');
            number->exponent -= after_point;
            n_digits++;
        } else {
            break;
        }
    if (n_digits > 0 && text->at < text->end && (*text->at == 'e' || *text->at == 'E')) {
        int64_t written;
        text->at++;
        if (!sn_text_digits(text, &written) || written > INT32_MAX || written < INT32_MIN)
            return false;
        number->exponent += written;
    }
    return n_digits > 0 && sn_text_at_word_end(text);
}

/* The common case of sn_text_number. One multiplication or division of two exact doubles
 * rounds once, so the result is the nearest double, as from strtod. False if this does not
 * apply. */
static bool read_short_decimal(sn_text *text, double *value)
{
    static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { MOST_EXACT_POWER = 22 };
    const uint64_t most_exact_integer = UINT64_C(1) << 53;
    sn_text after = *text;
    decimal number;
    if (!read_decimal(&after, &number) || number.digits > most_exact_integer ||
        number.exponent < -MOST_EXACT_POWER || number.exponent > MOST_EXACT_POWER)
        return false;
    double size = number.exponent < 0 ? (double)number.digits / power_of_ten[-number.exponent]
                                      : (double)number.digits * power_of_ten[number.exponent];
    *value = number.negative ? -size : size;
    *text = after;
    return true;
}

bool sn_text_number(sn_text *text, double *value)
{
    if (!sn_text_more_on_line(text))
        return false;
    if (read_short_decimal(text, value))
        return true;
    char *stop;
    *value = strtod(text->at, &stop); /* the zero byte at the end stops it */
    sn_text after = *text;
    after.at = stop;
    if (stop == text->at || !sn_text_at_word_end(&after))
        return false;
    *text = after;
    return true;
}

sn_excerpt sn_word_excerpt(sn_word word)
{
    sn_excerpt excerpt = {{0}};
    size_t n = word.length < SN_EXCERPT_BYTES ? word.length : SN_EXCERPT_BYTES - 1;
    for (size_t i = 0; i < n; i++) {
        bool printable = word.start[i] >= ' ' && word.start[i] <= '~';
        excerpt.text[i] = printable ? word.start[i] : '?';
    }
    return excerpt;
}

sn_excerpt sn_text_excerpt(const sn_text *text)
{
    sn_text ahead = *text;
    return sn_word_excerpt(sn_text_word(&ahead));
}
