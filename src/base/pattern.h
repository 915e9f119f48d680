/* Patterns for names: * stands for any letters, also none, and ? for one; large and small letters
 * are the same. */
#ifndef SN_BASE_PATTERN_H
#define SN_BASE_PATTERN_H

#include <stdbool.h>

bool sn_pattern_matches(const char *pattern, const char *name);

#endif
