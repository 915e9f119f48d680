/* Values from the command line: bodies.flesh.cell=0.1 */
#include "io/scene/schema.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sn_yaml_tree *tree;
    sn_origin *origin;
    sn_override *override;
    sn_text_place place; /* of everything that the override brings in */
    sn_path path;        /* walked so far, as in messages: bodies[0].cell */
} walk;

enum { MOST_PART_BYTES = 100 };

static size_t skip_blanks(const char *text)
{
    return strspn(text, " \t");
}

/* Without the blanks that stand before a '='. */
static size_t part_length(const char *part, size_t length)
{
    while (part[length] == '=' && length > 0 && strchr(" \t", part[length - 1]))
        length--;
    return length;
}

/* Takes the next part of the key, without dots, brackets, and blanks before the '='; false if it is
 * malformed. */
static bool next_part(const char **key, char part[MOST_PART_BYTES])
{
    bool bracket = **key == '[';
    *key += bracket || **key == '.';
    size_t length = strcspn(*key, bracket ? "]=" : ".[=");
    if (length >= MOST_PART_BYTES || (bracket && (*key)[length] != ']'))
        return false;
    snprintf(part, MOST_PART_BYTES, "%.*s", (int)part_length(*key, length), *key);
    *key += length + bracket;
    *key += skip_blanks(*key);
    return part[0] && strchr(".[=", **key) != NULL;
}

static bool is_number(const char *part)
{
    return strspn(part, "0123456789") == strlen(part) && strlen(part) < 9;
}

static long find_named(const sn_yaml *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        const sn_yaml *entry = list->value[i];
        long at = entry->kind == SN_YAML_MAP ? sn_yaml_find(entry, "name") : -1;
        const sn_yaml *value = at >= 0 ? entry->value[at] : NULL;
        if (value && value->kind == SN_YAML_SCALAR && value->text && strcmp(value->text, name) == 0)
            return (long)i;
    }
    return -1;
}

static sn_status find_entry(walk *w, const sn_yaml *list, const char *part, size_t *index)
{
    long at = is_number(part) ? atol(part) : find_named(list, part);
    if (at < 0 || (size_t)at >= list->count)
        return sn_origin_fail_at(w->origin, w->place, "", "%.200s has %zu entries, none is %s%s",
                                 w->path.text, list->count, is_number(part) ? "number " : "called ",
                                 part);
    *index = (size_t)at;
    w->path = sn_key_path("%.200s[%zu]", w->path.text, *index);
    return SN_OK;
}

/* The entry is made if it is not there: whether it may be is found out with the rest. */
static void find_or_add_key(walk *w, sn_yaml *map, const char *part, size_t *index)
{
    long at = sn_yaml_find(map, part);
    if (at < 0) {
        at = (long)map->count;
        sn_yaml_append(w->tree, map, sn_yaml_new_scalar(w->tree, w->place, part, strlen(part)),
                       sn_yaml_new(w->tree, w->place));
    }
    *index = (size_t)at;
    w->path = sn_key_path("%.150s%s%s", w->path.text, w->path.text[0] ? "." : "", part);
}

/* Goes from a node to the slot of what the part names inside it. */
static sn_status step(walk *w, sn_yaml *node, const char *part, sn_yaml ***slot)
{
    size_t index = 0;
    if (sn_yaml_is_null(node))
        node->kind = SN_YAML_MAP;
    if (node->kind == SN_YAML_LIST)
        SN_TRY(find_entry(w, node, part, &index));
    else if (node->kind == SN_YAML_MAP)
        find_or_add_key(w, node, part, &index);
    else
        return sn_origin_fail_at(w->origin, w->place, "", "%.200s has no keys inside",
                                 w->path.text);
    *slot = &node->value[index];
    return SN_OK;
}

static sn_status parse_value(walk *w, const char *text, sn_yaml **value)
{
    sn_yaml_error error;
    if (!sn_yaml_parse(w->tree, text, strlen(text), w->place.source, value, &error))
        return sn_origin_fail_at(w->origin, w->place, "", "%s", error.message);
    if (!*value)
        *value = sn_yaml_new(w->tree, w->place);
    return SN_OK;
}

static sn_status apply(walk *w, sn_yaml *root)
{
    const char *key = w->override->text + skip_blanks(w->override->text);
    sn_yaml **slot = &root;
    do {
        char part[MOST_PART_BYTES];
        if (!next_part(&key, part))
            return sn_origin_fail_at(w->origin, w->place, "",
                                     "expected key=value, with a key such as bodies[0].cell "
                                     "or bodies.flesh.cell");
        SN_TRY(step(w, *slot, part, &slot));
        /* A copy, because an alias may show the same node somewhere else. */
        *slot = sn_yaml_copy(w->tree, *slot);
    } while (*key != '=');
    return parse_value(w, key + 1, slot);
}

sn_status sn_scene_override(sn_yaml_tree *tree, sn_yaml *root, sn_origin *origin)
{
    for (size_t i = 0; i < origin->overrides.count; i++) {
        walk w = {.tree = tree,
                  .origin = origin,
                  .override = &origin->overrides.data[i],
                  .place = {1, 1, (int)i + 1}};
        SN_TRY(apply(&w, root));
        w.override->path = sn_copy_text(w.path.text);
    }
    return SN_OK;
}
