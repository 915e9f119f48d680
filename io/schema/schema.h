/* A description of structs that can be read from YAML, written to it and documented.
 *
 * One table (sn_section) stands for one C struct; one row (sn_schema_key) for one of its members:
 * its name, type and offset, what it is when it is left out, what it may be, and what it means.
 * Everything else follows from the tables: sn_section_read checks and stores, sn_section_write
 * gives back what was stored, sn_section_describe prints the reference, sn_section_free frees.
 * The tables know nothing of YAML, and these four know nothing of scenes. The keys of a section
 * inside another may fill members of the same struct: then the outer row's offset is 0.
 *
 * A section may have alternatives: keys of which exactly one must be given, as in
 *     region: {sphere: {center: [0, 0, 0], radius: 1}, invert: true}
 * Which one it was is stored as a number; other keys may go with some alternatives only. */
#ifndef SN_IO_SCHEMA_SCHEMA_H
#define SN_IO_SCHEMA_SCHEMA_H

#include "base/array.h"
#include "base/status.h"
#include "io/schema/origin.h"
#include "io/schema/settings.h"
#include "io/schema/yaml.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum {
    SN_TYPE_REAL,    /* double; NAN when left out without a fallback; may have `names` */
    SN_TYPE_INTEGER, /* int; SN_LEFT_OUT when left out without a fallback */
    SN_TYPE_BOOLEAN, /* bool */
    SN_TYPE_TEXT,    /* char *, never empty; NULL when left out without a fallback */
    SN_TYPE_CHOICE,  /* int or enum: index into `choices` */
    SN_TYPE_CHOICES, /* int: bit i is choice i; SN_LEFT_OUT when left out without a fallback */
    SN_TYPE_REALS,   /* double[count]; NANs when left out without a fallback */
    SN_TYPE_SECTION, /* a struct */
    SN_TYPE_LIST,    /* SN_VECTOR of structs */
    SN_TYPE_TEXTS,   /* sn_pairs of keys alone: a list of texts */
    SN_TYPE_PAIRS,   /* sn_pairs of texts: a mapping */
    SN_TYPE_RULES,   /* sn_pairs of numbers: a mapping, or one number, which is for the key "*" */
} sn_type;

#define SN_LEFT_OUT INT_MIN

/* What a number may be, or how many entries a list may have. */
typedef struct {
    enum { SN_ANY, SN_LOW = 1, SN_HIGH = 2, SN_LOW_OPEN = 4, SN_HIGH_OPEN = 8 } ends;
    double low, high;
} sn_range;

/* No number of a scene may be larger: products of a few must stay numbers, in single precision too.
 */
#define SN_LARGEST_REAL 1e30

/* For use in rows: `SN_ABOVE(0)`. */
#define SN_ABOVE(x) .range = {SN_LOW | SN_LOW_OPEN, x, 0}
#define SN_AT_LEAST(x) .range = {SN_LOW, x, 0}
#define SN_BETWEEN(x, y) .range = {SN_LOW | SN_LOW_OPEN | SN_HIGH | SN_HIGH_OPEN, x, y}
#define SN_FROM_TO(x, y) .range = {SN_LOW | SN_HIGH, x, y}
#define SN_FROM_UP_TO(x, y) .range = {SN_LOW | SN_HIGH | SN_HIGH_OPEN, x, y}

typedef struct sn_section sn_section;

/* A number that has a name in scenes; it may lie outside of the key's range. */
typedef struct {
    const char *name;
    double value;
} sn_named_real;

typedef struct {
    const char *name;
    const char *help; /* one line */
    sn_type type;
    size_t offset;
    bool required;
    const char *fallback; /* the value when it is left out, as it would be written */
    sn_range range;
    int count, row;             /* REALS: how many, and how many in a row where rows are allowed */
    bool nonzero;               /* REALS: not all of them may be zero */
    const char *const *choices; /* CHOICE and CHOICES: ends with NULL */
    const sn_named_real *names; /* REAL: ends with a NULL name; NULL: numbers only */
    const sn_section *section;  /* SECTION and LIST */
    bool lone;                  /* LIST: a list of one may be written as its entry */
    int alternative;            /* from 1: this key is one of the section's alternatives */
    unsigned goes_with;         /* bits 1 << alternative; 0: with any */
} sn_schema_key;

enum { SN_MOST_KEYS = 24, SN_NOT_STORED = -1 };

struct sn_section {
    const char *name; /* what the reference calls it */
    const sn_schema_key *keys;
    int n_keys;
    size_t size; /* of the struct */
    /* Offset of an int that says whether the section was given: 1, or which alternative; 0 if it
     * was left out. SN_NOT_STORED for a section that, left out, has the fallbacks of its keys. */
    long given;
    /* What one row cannot say. Called when all members are stored. */
    sn_status (*check)(const sn_origin *origin, const char *path, const void *value);
};

/* Reads a struct of zeros from a map; `node` NULL means that everything is left out. On failure
 * the struct must still be freed. */
SN_CHECKED sn_status sn_section_read(const sn_section *section, const sn_yaml *node,
                                     sn_origin *origin, void *value);
void sn_section_write(const sn_section *section, const void *value, FILE *out);
void sn_section_describe(const sn_section *section, FILE *out);
/* Of what a path such as bodies.material leads to. Fails for one that leads nowhere. */
SN_CHECKED sn_status sn_section_describe_part(const sn_section *section, const char *path,
                                              FILE *out);
/* Leaves zeros. */
void sn_section_free(const sn_section *section, void *value);

/* Where two structs of a section differ first. */
typedef struct {
    char path[256];             /* bodies[0].cell */
    char before[256], now[256]; /* the values, cut off where they are long */
} sn_difference;

/* Told of a difference; true: that is enough. */
typedef bool sn_difference_visitor(const sn_difference *difference, void *context);

/* Tells of all keys in which two structs differ; of lists of different lengths that, and then what
 * both have. True if the visitor had enough. */
bool sn_section_visit_differences(const sn_section *section, const void *before, const void *now,
                                  const char *const *ignored, sn_difference_visitor *visit,
                                  void *context);

/* True, with the place, if two structs differ in a key that is not in `ignored`: key paths, of
 * keys or whole sections, up to a NULL. */
bool sn_section_differs(const sn_section *section, const void *before, const void *now,
                        const char *const *ignored, sn_difference *difference);

/* The parts of the walkers. */

/* Whether a member has the value that stands for "left out". */
bool sn_is_left_out(const sn_schema_key *key, const void *member);
/* A member that is neither a section nor a list. */
void sn_write_scalar(const sn_schema_key *key, const void *member, FILE *out);

void sn_write_real(double real, FILE *out);
void sn_write_text(const char *text, FILE *out);

/* Members that are sn_pairs. */
bool sn_is_pairs(const sn_schema_key *key);
void sn_pairs_add(void *member, const char *key, const char *text, double number);
void sn_pairs_free(void *member);
bool sn_pairs_differ(const void *a, const void *b);
void sn_pairs_write(const sn_schema_key *key, const void *member, FILE *out);

/* An SN_VECTOR of anything. */
typedef SN_VECTOR(void) sn_any_vector;

static inline void *sn_member(const sn_schema_key *key, void *value)
{
    return (char *)value + key->offset;
}

static inline const void *sn_const_member(const sn_schema_key *key, const void *value)
{
    return (const char *)value + key->offset;
}

/* 0 if the section was left out, otherwise which alternative was given, or 1. */
int sn_section_given(const sn_section *section, const void *value);
/* Whether a key has a meaning beside the alternative that was given. */
bool sn_key_applies(const sn_schema_key *key, int alternative);

typedef struct {
    char text[320];
} sn_words;

/* "a number greater than 0", "one of curve, parmetis". */
sn_words sn_expected(const sn_schema_key *key);
/* `"abc"`, `a list of 2`, `nothing`. */
sn_words sn_found(const sn_yaml *node);
/* The names of the keys, or of the alternatives only, with commas. */
sn_words sn_key_names(const sn_section *section, bool alternatives_only);

/* The names, with commas, of the alternatives that a key goes with. */
sn_words sn_companions(const sn_section *section, const sn_schema_key *key);
/* How many letters must be changed, added, left out or swapped to make one of the other. */
int sn_count_typos(const char *a, const char *b);
/* The key that was probably meant, or NULL. */
const char *sn_nearest_key(const sn_section *section, const char *text);

bool sn_in_range(sn_range range, double value);

/* The named number that has this value, or NULL. */
const sn_named_real *sn_name_of_real(const sn_schema_key *key, double value);
/* Stores a scalar. False if the text is not of the key's type or out of its range. */
bool sn_store_text(const sn_schema_key *key, const char *text, void *member);
/* Stores the fallback, or what stands for "left out". */
void sn_store_fallback(const sn_schema_key *key, void *member);
/* A finite number in YAML's own notation, the whole text. */
bool sn_text_to_real(const char *text, double *real);

#endif
