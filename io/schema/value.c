/* Single values: from text to a member of a struct. */
#include "io/schema/schema.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t count_digits(const char *text)
{
    size_t count = 0;
    while (isdigit((unsigned char)text[count]))
        count++;
    return count;
}

static const char *skip_sign(const char *text)
{
    return text + (*text == '-' || *text == '+');
}

/* strtod alone would also take nan, inf, hexadecimals and leading blanks. */
static bool is_decimal(const char *text)
{
    text = skip_sign(text);
    size_t whole = count_digits(text), part = 0;
    text += whole;
    if (*text == '.') {
        part = count_digits(++text);
        text += part;
    }
    if (whole + part == 0)
        return false;
    if (*text == 'e' || *text == 'E') {
        text = skip_sign(text + 1);
        size_t exponent = count_digits(text);
        if (exponent == 0)
            return false;
        text += exponent;
    }
    return *text == '\0';
}

bool sn_text_to_real(const char *text, double *real)
{
    if (!is_decimal(text))
        return false;
    *real = strtod(text, NULL);
    return isfinite(*real);
}

static bool text_to_integer(const char *text, int *integer)
{
    const char *digits = skip_sign(text);
    enum { MOST_DIGITS = 10 };
    size_t count = count_digits(digits);
    if (count == 0 || count > MOST_DIGITS || digits[count])
        return false;
    long long wide = strtoll(text, NULL, 10);
    if (wide > INT_MAX || wide <= SN_LEFT_OUT)
        return false;
    *integer = (int)wide;
    return true;
}

static bool text_to_boolean(const char *text, bool *boolean)
{
    *boolean = strcmp(text, "true") == 0;
    return *boolean || strcmp(text, "false") == 0;
}

static bool text_to_choice(const char *const *choices, const char *text, int *index)
{
    for (*index = 0; choices[*index]; ++*index)
        if (strcmp(choices[*index], text) == 0)
            return true;
    return false;
}

bool sn_in_range(sn_range range, double value)
{
    bool low = !(range.ends & SN_LOW) ||
               (range.ends & SN_LOW_OPEN ? value > range.low : value >= range.low);
    bool high = !(range.ends & SN_HIGH) ||
                (range.ends & SN_HIGH_OPEN ? value < range.high : value <= range.high);
    return low && high;
}

const sn_named_real *sn_name_of_real(const sn_schema_key *key, double value)
{
    for (const sn_named_real *named = key->names; named && named->name; named++)
        if (named->value == value)
            return named;
    return NULL;
}

static bool text_to_real_of(const sn_schema_key *key, const char *text, double *real)
{
    for (const sn_named_real *named = key->names; named && named->name; named++)
        if (strcmp(named->name, text) == 0) {
            *real = named->value;
            return true;
        }
    return sn_text_to_real(text, real) && fabs(*real) <= SN_LARGEST_REAL &&
           sn_in_range(key->range, *real);
}

bool sn_store_text(const sn_schema_key *key, const char *text, void *member)
{
    switch (key->type) {
    case SN_TYPE_REAL:
        return text_to_real_of(key, text, member);
    case SN_TYPE_INTEGER:
        return text_to_integer(text, member) && sn_in_range(key->range, *(int *)member);
    case SN_TYPE_BOOLEAN:
        return text_to_boolean(text, member);
    case SN_TYPE_CHOICE:
        return text_to_choice(key->choices, text, member);
    case SN_TYPE_TEXT:
        if (!text[0])
            return false;
        *(char **)member = sn_copy_text(text);
        return true;
    default:
        break;
    }
    return false;
}

/* A fallback such as [0, -9.81, 0]. */
static void store_fallback_reals(const sn_schema_key *key, double *reals)
{
    const char *text = key->fallback;
    for (int i = 0; i < key->count; i++) {
        char *end = NULL;
        reals[i] = text ? strtod(text + 1, &end) : NAN;
        text = end;
    }
}

void sn_store_fallback(const sn_schema_key *key, void *member)
{
    if (key->type == SN_TYPE_REALS)
        store_fallback_reals(key, member);
    else if (key->fallback)
        sn_store_text(key, key->fallback, member);
    else if (key->type == SN_TYPE_REAL)
        *(double *)member = NAN;
    else if (key->type == SN_TYPE_INTEGER || key->type == SN_TYPE_CHOICES)
        *(int *)member = SN_LEFT_OUT;
}

int sn_section_given(const sn_section *section, const void *value)
{
    int given = 1;
    if (section->given != SN_NOT_STORED)
        memcpy(&given, (const char *)value + section->given, sizeof given);
    return given;
}

bool sn_key_applies(const sn_schema_key *key, int alternative)
{
    if (key->alternative)
        return key->alternative == alternative;
    return !key->goes_with || key->goes_with & 1u << alternative;
}

/* Members only: a section may share its struct with others, which are still to be freed. */
static void free_members(const sn_section *section, void *value)
{
    for (int i = 0; i < section->n_keys; i++) {
        const sn_schema_key *key = &section->keys[i];
        void *member = sn_member(key, value);
        if (key->type == SN_TYPE_TEXT)
            sn_free(*(char **)member);
        else if (sn_is_pairs(key))
            sn_pairs_free(member);
        else if (key->type == SN_TYPE_SECTION)
            free_members(key->section, member);
        else if (key->type == SN_TYPE_LIST) {
            sn_any_vector list;
            memcpy(&list, member, sizeof list);
            for (size_t e = 0; e < list.count; e++)
                free_members(key->section, (char *)list.data + e * key->section->size);
            sn_free(list.data);
        }
    }
}

void sn_section_free(const sn_section *section, void *value)
{
    free_members(section, value);
    memset(value, 0, section->size);
}
