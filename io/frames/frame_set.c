#include "io/frames/frame_set.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* At the head of a text; NULL if there is none. */
static const char *read_number(const char *text, int *number)
{
    enum { MOST_DIGITS = 9 };
    size_t sign = *text == '-', digits = strspn(text + sign, "0123456789");
    if (digits == 0 || digits > MOST_DIGITS)
        return NULL;
    *number = atoi(text);
    return text + sign + digits;
}

/* A frame or a range of them at the head of a text; NULL if there is none. */
static const char *read_range(const char *text, int *first, int *last)
{
    const char *rest = read_number(text, first);
    *first = rest ? *first : INT_MIN;
    *last = *first;
    if (rest && *rest != '-' && *rest != ':')
        return rest;
    const char *between = rest ? rest : text;
    if (*between != ':' && *between != '-')
        return NULL;
    *last = INT_MAX;
    bool open = *between == ':' && (between[1] == '\0' || between[1] == ',');
    if (open)
        return rest ? between + 1 : NULL; /* a colon alone says nothing */
    rest = read_number(between + 1, last);
    return rest && *first <= *last ? rest : NULL;
}

const char *sn_frame_set_next(const char *text, int *first, int *last)
{
    const char *rest = text && *text ? read_range(text, first, last) : NULL;
    return rest && *rest == ',' ? rest + 1 : rest;
}

sn_status sn_frame_set_check(const char *command, const char *text)
{
    int first, last;
    for (const char *at = text; at;) {
        const char *rest = read_range(at, &first, &last);
        if (!rest || (*rest && *rest != ','))
            return SN_FAIL(SN_BAD_INPUT,
                           "%s: --frames needs frames such as 7, 1:48, 10: or 1:10,20, not "
                           "'%.100s'",
                           command, text);
        at = *rest ? rest + 1 : NULL;
    }
    return SN_OK;
}

bool sn_frame_set_has(const char *text, int frame)
{
    int first, last;
    if (!text)
        return true;
    while ((text = sn_frame_set_next(text, &first, &last)))
        if (first <= frame && frame <= last)
            return true;
    return false;
}
