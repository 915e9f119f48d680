#include "base/pattern.h"

#include <ctype.h>
#include <stddef.h>

static bool is_same(char a, char b)
{
    return a == '?' || tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* What does not fit is tried again with one letter more for the last star: for those before it
 * nothing would change. */
bool sn_pattern_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern && is_same(*pattern, *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
