/* The walker that compares. Functions return true when the visitor has had enough. */
#include "io/schema/schema.h"

#include <string.h>

typedef struct {
    const char *const *ignored;
    sn_difference_visitor *visit;
    void *context;
} comparison;

static bool is_ignored(const comparison *c, const char *path)
{
    for (int i = 0; c->ignored[i]; i++)
        if (strcmp(c->ignored[i], path) == 0)
            return true;
    return false;
}

/* Numbers are written with all their digits, so equal texts are equal values. */
static void show_value(const sn_schema_key *key, const void *member, char *text, size_t room)
{
    memset(text, 0, room);
    if (sn_is_left_out(key, member)) {
        snprintf(text, room, "left out");
        return;
    }
    FILE *out = fmemopen(text, room - 1, "w");
    if (!out)
        return;
    setbuf(out, NULL);
    sn_write_scalar(key, member, out);
    fclose(out);
}

static bool texts_differ(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) != 0 : a != b;
}

static bool reals_differ(const double *a, const double *b, int count)
{
    for (int i = 0; i < count; i++)
        if (a[i] != b[i] && !(isnan(a[i]) && isnan(b[i])))
            return true;
    return false;
}

static bool scalars_differ(const sn_schema_key *key, const void *a, const void *b)
{
    switch (key->type) {
    case SN_TYPE_TEXT:
        return texts_differ(*(char *const *)a, *(char *const *)b);
    case SN_TYPE_BOOLEAN:
        return *(const bool *)a != *(const bool *)b;
    case SN_TYPE_REAL:
        return reals_differ(a, b, 1);
    case SN_TYPE_REALS:
        return reals_differ(a, b, key->count);
    case SN_TYPE_TEXTS:
    case SN_TYPE_PAIRS:
    case SN_TYPE_RULES:
        return sn_pairs_differ(a, b);
    default:
        return *(const int *)a != *(const int *)b;
    }
}

static bool found(const comparison *c, const char *path, const char *before, const char *now)
{
    sn_difference d;
    snprintf(d.path, sizeof d.path, "%s", path);
    snprintf(d.before, sizeof d.before, "%s", before);
    snprintf(d.now, sizeof d.now, "%s", now);
    return c->visit(&d, c->context);
}

static bool scalar_found(const comparison *c, const char *path, const sn_schema_key *key,
                         const void *a, const void *b)
{
    char before[sizeof((sn_difference *)0)->before], now[sizeof((sn_difference *)0)->now];
    show_value(key, a, before, sizeof before);
    show_value(key, b, now, sizeof now);
    return found(c, path, before, now);
}

static bool sections_differ(const comparison *c, const sn_section *section, const char *path,
                            const void *a, const void *b);

static bool lists_differ(const comparison *c, const sn_schema_key *key, const char *path,
                         const void *a, const void *b)
{
    sn_any_vector before, now;
    memcpy(&before, a, sizeof before);
    memcpy(&now, b, sizeof now);
    if (before.count != now.count && found(c, path, sn_key_path("a list of %zu", before.count).text,
                                           sn_key_path("a list of %zu", now.count).text))
        return true;
    for (size_t i = 0; i < now.count && i < before.count; i++) {
        size_t offset = i * key->section->size;
        if (sections_differ(c, key->section, sn_key_path("%s[%zu]", path, i).text,
                            (const char *)before.data + offset, (const char *)now.data + offset))
            return true;
    }
    return false;
}

static bool keys_differ(const comparison *c, const sn_schema_key *key, const char *path,
                        const void *a, const void *b)
{
    if (key->type == SN_TYPE_LIST)
        return lists_differ(c, key, path, a, b);
    if (key->type == SN_TYPE_SECTION)
        return sections_differ(c, key->section, path, a, b);
    return scalars_differ(key, a, b) && scalar_found(c, path, key, a, b);
}

/* Which of its alternatives a section has, or whether it was given. */
static const char *kind_of(const sn_section *section, int given)
{
    for (int i = 0; i < section->n_keys; i++)
        if (given > 0 && section->keys[i].alternative == given)
            return section->keys[i].name;
    return given ? "given" : "left out";
}

static bool sections_differ(const comparison *c, const sn_section *section, const char *path,
                            const void *a, const void *b)
{
    int before = sn_section_given(section, a), now = sn_section_given(section, b);
    if (before != now)
        return found(c, path, kind_of(section, before), kind_of(section, now));
    for (int i = 0; i < section->n_keys && now; i++) {
        const sn_schema_key *key = &section->keys[i];
        sn_path inner = sn_key_path(path[0] ? "%s.%s" : "%s%s", path, key->name);
        if (sn_key_applies(key, now) && !is_ignored(c, inner.text) &&
            keys_differ(c, key, inner.text, sn_const_member(key, a), sn_const_member(key, b)))
            return true;
    }
    return false;
}

bool sn_section_visit_differences(const sn_section *section, const void *before, const void *now,
                                  const char *const *ignored, sn_difference_visitor *visit,
                                  void *context)
{
    comparison c = {ignored, visit, context};
    return sections_differ(&c, section, "", before, now);
}

static bool keep_first(const sn_difference *difference, void *context)
{
    memcpy(context, difference, sizeof *difference);
    return true;
}

bool sn_section_differs(const sn_section *section, const void *before, const void *now,
                        const char *const *ignored, sn_difference *difference)
{
    return sn_section_visit_differences(section, before, now, ignored, keep_first, difference);
}
