/* Lists of texts in scenes: names, patterns, and what goes with each. */
#ifndef SN_IO_SCHEMA_SETTINGS_H
#define SN_IO_SCHEMA_SETTINGS_H

#include "base/array.h"

typedef struct {
    char *key;
    char *text;    /* what goes with it, where that is a text; else NULL */
    double number; /* where that is a number */
} sn_pair;

typedef SN_VECTOR(sn_pair) sn_pairs;

#endif
