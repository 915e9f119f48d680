/* The walker that reads: a tree of YAML nodes beside a tree of sections. */
#include "io/schema/schema.h"
#include "io/text/utf8.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    PATH_BYTES = 256,
    MOST_ENTRIES = 1 << 20, /* of lists: with places for messages some hundreds of megabytes */
};

typedef struct {
    sn_origin *origin;
    char path[PATH_BYTES];
    size_t entries; /* of all lists so far */
} reader;

/* Makes the path longer; the old length, given to leave(), makes it what it was. */
static size_t enter_key(reader *r, const char *name)
{
    size_t length = strlen(r->path);
    snprintf(r->path + length, PATH_BYTES - length, "%s%.40s", length ? "." : "", name);
    return length;
}

static size_t enter_entry(reader *r, size_t index)
{
    size_t length = strlen(r->path);
    snprintf(r->path + length, PATH_BYTES - length, "[%zu]", index);
    return length;
}

static void leave(reader *r, size_t length)
{
    r->path[length] = '\0';
}

static bool is_too_large(const sn_yaml *node)
{
    double real;
    return node->kind == SN_YAML_SCALAR && node->text && sn_text_to_real(node->text, &real) &&
           fabs(real) > SN_LARGEST_REAL;
}

static sn_status fail_expected(const reader *r, const sn_schema_key *key, const sn_yaml *node)
{
    const char *hint = is_too_large(node) ? " (numbers go up to 1e30)" : "";
    if (key->type == SN_TYPE_REAL || key->type == SN_TYPE_INTEGER || key->type == SN_TYPE_BOOLEAN)
        hint = node->kind == SN_YAML_SCALAR && !node->plain ? " (leave out the quotes)" : hint;
    return sn_origin_fail_at(r->origin, node->place, r->path, "expected %s, got %s%s",
                             sn_expected(key).text, sn_found(node).text, hint);
}

static sn_status read_scalar(reader *r, const sn_schema_key *key, const sn_yaml *node, void *member)
{
    bool text = key->type == SN_TYPE_TEXT || key->type == SN_TYPE_CHOICE;
    bool scalar = node->kind == SN_YAML_SCALAR && !sn_yaml_is_null(node) && (text || node->plain);
    if (!scalar || sn_utf8_span(node->text, node->length, "") < node->length ||
        !sn_store_text(key, node->text, member))
        return fail_expected(r, key, node);
    return SN_OK;
}

/* `count` numbers from a list, or from a list of rows. */
static sn_status read_numbers(reader *r, const sn_schema_key *key, const sn_yaml *list, int count,
                              double *reals)
{
    bool rows = key->row && count != key->row && list->count == (size_t)(count / key->row);
    if (list->kind != SN_YAML_LIST || (!rows && list->count != (size_t)count))
        return fail_expected(r, key, list);
    const sn_schema_key number = {.type = SN_TYPE_REAL};
    for (size_t i = 0; i < list->count; i++) {
        size_t length = enter_entry(r, i);
        if (rows)
            SN_TRY(read_numbers(r, key, list->value[i], key->row, reals + i * (size_t)key->row));
        else
            SN_TRY(read_scalar(r, &number, list->value[i], &reals[i]));
        leave(r, length);
    }
    return SN_OK;
}

static sn_status read_reals(reader *r, const sn_schema_key *key, const sn_yaml *node, double *reals)
{
    SN_TRY(read_numbers(r, key, node, key->count, reals));
    bool zero = true;
    for (int i = 0; i < key->count; i++)
        zero = zero && reals[i] == 0;
    if (key->nonzero && zero)
        return sn_origin_fail_at(r->origin, node->place, r->path, "expected %s, got only zeros",
                                 sn_expected(key).text);
    return SN_OK;
}

/* Each choice at most once. */
static sn_status read_choices(reader *r, const sn_schema_key *key, const sn_yaml *list, int *bits)
{
    if (list->kind != SN_YAML_LIST)
        return fail_expected(r, key, list);
    const sn_schema_key one = {.type = SN_TYPE_CHOICE, .choices = key->choices};
    *bits = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t length = enter_entry(r, i);
        int choice = 0;
        SN_TRY(read_scalar(r, &one, list->value[i], &choice));
        if (*bits >> choice & 1)
            return sn_origin_fail_at(r->origin, list->value[i]->place, r->path,
                                     "\"%s\" is given twice", key->choices[choice]);
        *bits |= 1 << choice;
        leave(r, length);
    }
    return SN_OK;
}

/* Aliases make many entries of a short text, and lists of them in lists. */
static sn_status count_entries(reader *r, const sn_yaml *list)
{
    r->entries += list->count;
    if (r->entries <= MOST_ENTRIES)
        return SN_OK;
    return sn_origin_fail_at(r->origin, list->place, r->path,
                             "more than %d entries in all lists together", MOST_ENTRIES);
}

/* A text; "" if it is none. */
static const char *text_of(const sn_yaml *node)
{
    bool is_text = node->kind == SN_YAML_SCALAR && !sn_yaml_is_null(node) &&
                   sn_utf8_span(node->text, node->length, "") == node->length;
    return is_text ? node->text : "";
}

static sn_status read_texts(reader *r, const sn_schema_key *key, const sn_yaml *list, void *member)
{
    if (list->kind != SN_YAML_LIST)
        return fail_expected(r, key, list);
    SN_TRY(count_entries(r, list));
    for (size_t i = 0; i < list->count; i++) {
        const char *text = text_of(list->value[i]);
        if (!text[0])
            return fail_expected(r, key, list->value[i]);
        sn_pairs_add(member, text, NULL, 0);
    }
    return SN_OK;
}

static sn_status read_pair(reader *r, const sn_schema_key *key, const sn_yaml *name,
                           const sn_yaml *value, void *member)
{
    const sn_schema_key number = {.type = SN_TYPE_REAL, .range = key->range};
    double real = 0;
    const char *text = text_of(name);
    if (!text[0])
        return fail_expected(r, key, name);
    if (key->type == SN_TYPE_PAIRS && !text_of(value)[0])
        return fail_expected(r, key, value);
    if (key->type == SN_TYPE_RULES)
        SN_TRY(read_scalar(r, &number, value, &real));
    sn_pairs_add(member, text, key->type == SN_TYPE_PAIRS ? text_of(value) : NULL, real);
    return SN_OK;
}

static sn_status read_pairs(reader *r, const sn_schema_key *key, const sn_yaml *map, void *member)
{
    double real;
    if (key->type == SN_TYPE_RULES && map->kind == SN_YAML_SCALAR) {
        const sn_schema_key number = {.type = SN_TYPE_REAL, .range = key->range};
        SN_TRY(read_scalar(r, &number, map, &real));
        sn_pairs_add(member, "*", NULL, real);
        return SN_OK;
    }
    if (map->kind != SN_YAML_MAP)
        return fail_expected(r, key, map);
    SN_TRY(count_entries(r, map));
    for (size_t i = 0; i < map->count; i++) {
        size_t length = enter_key(r, text_of(map->key[i]));
        SN_TRY(read_pair(r, key, map->key[i], map->value[i], member));
        leave(r, length);
    }
    return SN_OK;
}

static sn_status read_section(reader *r, const sn_section *section, const sn_yaml *node,
                              void *value);

static const sn_schema_key *name_key(const sn_section *section)
{
    for (int i = 0; i < section->n_keys; i++)
        if (strcmp(section->keys[i].name, "name") == 0)
            return &section->keys[i];
    return NULL;
}

/* An entry of a list, and its name. */
typedef struct {
    const char *name;
    size_t index;
} named;

static int by_name(const void *left, const void *right)
{
    const named *a = left, *b = right;
    int difference = strcmp(a->name, b->name);
    return difference ? difference : (a->index > b->index) - (a->index < b->index);
}

/* Sorted by name, the first of a name before the others. The caller frees them. */
static named *sorted_names(const sn_section *section, const sn_schema_key *key,
                           const sn_any_vector *list)
{
    named *all = SN_NEW(named, list->count);
    const char *entries = list->data;
    for (size_t i = 0; i < list->count; i++) {
        const char *name = *(char *const *)sn_const_member(key, entries + i * section->size);
        all[i] = (named){name ? name : "", i};
    }
    if (list->count > 0)
        qsort(all, list->count, sizeof *all, by_name);
    return all;
}

/* The pair to complain about: that whose second comes first in the list. False if there is none. */
static bool find_twins(const named *sorted, size_t n, named *first, named *second)
{
    *second = (named){NULL, SIZE_MAX};
    for (size_t i = 1; i < n; i++)
        if (sorted[i].name[0] && strcmp(sorted[i - 1].name, sorted[i].name) == 0 &&
            sorted[i].index < second->index) {
            *first = sorted[i - 1];
            *second = sorted[i];
        }
    return second->name != NULL;
}

/* Things are called by their names: in a list of named things no two have the same. */
static sn_status check_names(reader *r, const sn_section *section, const sn_any_vector *list)
{
    const sn_schema_key *key = name_key(section);
    if (!key)
        return SN_OK;
    named first, second, *sorted = sorted_names(section, key, list);
    bool twins = find_twins(sorted, list->count, &first, &second);
    sn_free(sorted);
    if (!twins)
        return SN_OK;
    return sn_origin_fail(r->origin, sn_key_path("%.200s[%zu].name", r->path, second.index).text,
                          "expected a name of its own, but \"%.40s\" is also %.200s[%zu]",
                          second.name, r->path, first.index);
}

static sn_status read_list(reader *r, const sn_schema_key *key, const sn_yaml *node, void *member)
{
    bool empty = sn_yaml_is_null(node), lone = key->lone && node->kind == SN_YAML_MAP;
    sn_yaml one = {.kind = SN_YAML_LIST, .place = node->place, .count = 1};
    sn_yaml *entry = (sn_yaml *)node;
    one.value = &entry;
    node = lone ? &one : node;
    if ((!empty && node->kind != SN_YAML_LIST) || !sn_in_range(key->range, (double)node->count))
        return fail_expected(r, key, node);
    SN_TRY(count_entries(r, node));
    size_t size = key->section->size, count = empty ? 0 : node->count;
    sn_any_vector list = {SN_NEW_ZERO(char, count *size), count, count};
    memcpy(member, &list, sizeof list);
    for (size_t i = 0; i < count; i++) {
        size_t length = enter_entry(r, i);
        SN_TRY(read_section(r, key->section, node->value[i], (char *)list.data + i * size));
        leave(r, length);
    }
    return check_names(r, key->section, &list);
}

static sn_status read_value(reader *r, const sn_schema_key *key, const sn_yaml *node, void *member)
{
    switch (key->type) {
    case SN_TYPE_REALS:
        sn_origin_note(r->origin, r->path, node->place);
        return read_reals(r, key, node, member);
    case SN_TYPE_CHOICES:
        sn_origin_note(r->origin, r->path, node->place);
        return read_choices(r, key, node, member);
    case SN_TYPE_SECTION:
        return read_section(r, key->section, node, member);
    case SN_TYPE_LIST:
        sn_origin_note(r->origin, r->path, node->place);
        return read_list(r, key, node, member);
    case SN_TYPE_TEXTS:
        sn_origin_note(r->origin, r->path, node->place);
        return read_texts(r, key, node, member);
    case SN_TYPE_PAIRS:
    case SN_TYPE_RULES:
        sn_origin_note(r->origin, r->path, node->place);
        return read_pairs(r, key, node, member);
    default:
        sn_origin_note(r->origin, r->path, node->place);
        return read_scalar(r, key, node, member);
    }
}

static sn_status fail_unknown(reader *r, const sn_section *section, const sn_yaml *key)
{
    const char *nearest = sn_nearest_key(section, key->text);
    enter_key(r, key->text);
    if (nearest)
        return sn_origin_fail_at(r->origin, key->place, r->path,
                                 "unknown key, did you mean \"%s\"?", nearest);
    return sn_origin_fail_at(r->origin, key->place, r->path, "unknown key, expected one of %s",
                             sn_key_names(section, false).text);
}

/* Sorts the entries of a map to the rows of the table. */
static sn_status match_keys(reader *r, const sn_section *section, const sn_yaml *map,
                            const sn_yaml **found)
{
    const sn_yaml *first[SN_MOST_KEYS];
    for (size_t e = 0; e < map->count; e++) {
        const sn_yaml *name = map->key[e];
        if (name->kind != SN_YAML_SCALAR ||
            sn_utf8_span(name->text, name->length, "") < name->length)
            return sn_origin_fail_at(r->origin, name->place, r->path,
                                     "expected the name of a key, got %s", sn_found(name).text);
        int i = 0;
        while (i < section->n_keys && strcmp(section->keys[i].name, name->text) != 0)
            i++;
        if (i == section->n_keys)
            return fail_unknown(r, section, name);
        if (found[i]) {
            enter_key(r, name->text);
            return sn_origin_fail_at(r->origin, name->place, r->path,
                                     "given twice, first in line %d", first[i]->place.line);
        }
        found[i] = map->value[e];
        first[i] = name;
    }
    return SN_OK;
}

/* Which alternative was given, as long as it is one; 1 for a section without alternatives. */
static sn_status find_alternative(reader *r, const sn_section *section, const sn_yaml *node,
                                  const sn_yaml **found, int *alternative)
{
    const sn_schema_key *chosen = NULL;
    bool has_alternatives = false;
    for (int i = 0; i < section->n_keys; i++) {
        const sn_schema_key *key = &section->keys[i];
        has_alternatives = has_alternatives || key->alternative;
        if (!key->alternative || !found[i])
            continue;
        if (chosen) {
            enter_key(r, key->name);
            return sn_origin_fail_at(r->origin, found[i]->place, r->path,
                                     "cannot be given together with \"%s\"", chosen->name);
        }
        chosen = key;
    }
    if (has_alternatives && !chosen)
        return sn_origin_fail_at(r->origin, node->place, r->path, "expected one of the keys %s",
                                 sn_key_names(section, true).text);
    *alternative = chosen ? chosen->alternative : 1;
    return SN_OK;
}

static sn_status read_key(reader *r, const sn_section *section, const sn_schema_key *key,
                          const sn_yaml *node, int alternative, sn_text_place around, void *value)
{
    bool applies = sn_key_applies(key, alternative);
    size_t length = enter_key(r, key->name);
    if (node && !applies)
        return sn_origin_fail_at(r->origin, node->place, r->path, "goes only with %s",
                                 sn_companions(section, key).text);
    if (node)
        SN_TRY(read_value(r, key, node, sn_member(key, value)));
    else if (key->required && applies)
        return sn_origin_fail_at(r->origin, around, r->path, "missing, expected %s",
                                 sn_expected(key).text);
    else if (applies && key->type == SN_TYPE_SECTION && key->section->given == SN_NOT_STORED)
        SN_TRY(read_section(r, key->section, NULL, sn_member(key, value)));
    else
        sn_store_fallback(key, sn_member(key, value));
    leave(r, length);
    return SN_OK;
}

static sn_status read_section(reader *r, const sn_section *section, const sn_yaml *node,
                              void *value)
{
    assert(section->n_keys <= SN_MOST_KEYS);
    const sn_yaml *found[SN_MOST_KEYS] = {NULL};
    int alternative = 1;
    sn_text_place around = {1, 1, 0};
    if (node) {
        const sn_schema_key self = {.type = SN_TYPE_SECTION, .section = section};
        if (node->kind != SN_YAML_MAP && !sn_yaml_is_null(node))
            return fail_expected(r, &self, node);
        around = node->place;
        sn_origin_note(r->origin, r->path, around);
        SN_TRY(match_keys(r, section, node, found));
        SN_TRY(find_alternative(r, section, node, found, &alternative));
    }
    for (int i = 0; i < section->n_keys; i++)
        SN_TRY(read_key(r, section, &section->keys[i], found[i], alternative, around, value));
    if (node && section->given != SN_NOT_STORED)
        memcpy((char *)value + section->given, &alternative, sizeof alternative);
    return section->check ? section->check(r->origin, r->path, value) : SN_OK;
}

sn_status sn_section_read(const sn_section *section, const sn_yaml *node, sn_origin *origin,
                          void *value)
{
    reader r = {.origin = origin, .path = ""};
    return read_section(&r, section, node, value);
}
