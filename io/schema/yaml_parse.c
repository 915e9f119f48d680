/* From libfyaml's events to a tree of nodes. */
#include "io/schema/yaml.h"
#include "io/text/utf8.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LEVELS = 64, /* of nesting: far more than a scene has, far less than a stack */
    /* Entries that merge keys bring, in the whole text: a map that merges a map that merges ... has
     * all of theirs, and a short text could make maps without end. These take some 20 MB. */
    MOST_MERGED = 1 << 20,
    BUCKETS = 4096, /* of anchors, so that ten thousands are found as quickly as a few */
};

typedef struct {
    sn_yaml *name, *node;
    size_t before; /* the anchor before it in its bucket, from 1; 0: there is none */
} anchor;

/* What is needed while the events of one text become nodes. */
typedef struct {
    struct fy_parser *parser;
    struct fy_diag *diag;
    sn_yaml_tree *tree;
    sn_yaml_error *error;
    sn_text_place last; /* of the last event that had one */
    int levels;
    size_t merged;
    SN_VECTOR(anchor) anchors;
    size_t last_anchor[BUCKETS]; /* from 1; 0: there is none */
} builder;

__attribute__((format(printf, 3, 4))) static sn_yaml *fail(builder *b, sn_text_place place,
                                                           const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->error->message, sizeof b->error->message, format, arguments);
    va_end(arguments);
    b->error->place = place;
    return NULL;
}

/* The first thing that libfyaml complained about becomes the message. */
static void fail_syntax(builder *b)
{
    void *iterator = NULL;
    struct fy_diag_error *first = fy_diag_errors_iterate(b->diag, &iterator);
    sn_text_place place = b->last;
    if (first && first->line > 0) {
        place.line = first->line;
        place.column = first->column > 0 ? first->column : 1;
    }
    fail(b, place, "not valid YAML: %s", first && first->msg ? first->msg : "syntax error");
}

/* The mark of a quoted text or an alias stands behind the quote or the star. */
static bool starts_with_sign(struct fy_event *event)
{
    if (event->type != FYET_SCALAR || !event->scalar.value)
        return event->type == FYET_ALIAS;
    enum fy_scalar_style style = fy_token_scalar_style(event->scalar.value);
    return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static struct fy_event *next_event(builder *b)
{
    struct fy_event *event = fy_parser_parse(b->parser);
    const struct fy_mark *mark = event ? fy_event_start_mark(event) : NULL;
    if (mark) {
        b->last.line = mark->line + 1;
        b->last.column = mark->column + 1 - starts_with_sign(event);
    }
    if (!event)
        fail_syntax(b);
    return event;
}

static sn_yaml *scalar_from_token(builder *b, struct fy_token *token)
{
    size_t length = 0;
    const char *text = token ? fy_token_get_text(token, &length) : NULL;
    sn_yaml *node = sn_yaml_new_scalar(b->tree, b->last, text ? text : "", text ? length : 0);
    node->plain = !token || fy_token_scalar_style(token) == FYSS_PLAIN;
    return node;
}

static size_t *bucket_of(builder *b, const char *name)
{
    uint32_t hash = 2166136261u; /* Fowler, Noll and Vo's */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return &b->last_anchor[hash % BUCKETS];
}

static void add_anchor(builder *b, sn_yaml *name, sn_yaml *node)
{
    size_t *bucket = bucket_of(b, name->text);
    sn_push(&b->anchors, ((anchor){name, node, *bucket}));
    *bucket = b->anchors.count;
}

/* The last one of that name counts. */
static sn_yaml *resolve_alias(builder *b, struct fy_token *token)
{
    sn_yaml *name = scalar_from_token(b, token);
    for (size_t i = *bucket_of(b, name->text); i > 0; i = b->anchors.data[i - 1].before)
        if (strcmp(b->anchors.data[i - 1].name->text, name->text) == 0)
            return b->anchors.data[i - 1].node;
    return fail(b, name->place, "no anchor \"&%.40s\" before this alias", name->text);
}

/* An entry of a map that merges others: its own come first, then theirs in their order. */
typedef struct {
    sn_yaml *key, *value;
    size_t order;
    bool own, kept;
} merged_entry;

typedef SN_VECTOR(merged_entry) entry_list;

/* Keys that are no scalars have no text. */
static int compare_keys(const sn_yaml *a, const sn_yaml *b)
{
    size_t shorter = a->length < b->length ? a->length : b->length;
    int difference = shorter > 0 ? memcmp(a->text, b->text, shorter) : 0;
    return difference ? difference : (a->length > b->length) - (a->length < b->length);
}

static int by_key_and_order(const void *left, const void *right)
{
    const merged_entry *a = left, *b = right;
    int difference = compare_keys(a->key, b->key);
    return difference ? difference : (a->order > b->order) - (a->order < b->order);
}

static int by_order(const void *left, const void *right)
{
    const merged_entry *a = left, *b = right;
    return (a->order > b->order) - (a->order < b->order);
}

static void add_entries(entry_list *list, const sn_yaml *map, size_t except, bool own)
{
    for (size_t i = 0; i < map->count; i++)
        if (i != except)
            sn_push(list, ((merged_entry){map->key[i], map->value[i], list->count, own, true}));
}

/* What the map itself has twice is kept, and so are keys that are no scalars: for the reader to
 * complain about. */
static void drop_hidden(entry_list *list)
{
    qsort(list->data, list->count, sizeof *list->data, by_key_and_order);
    for (size_t i = 1; i < list->count; i++) {
        merged_entry *e = &list->data[i];
        e->kept = e->own || !e->key->text || compare_keys(e->key, list->data[i - 1].key) != 0;
    }
    qsort(list->data, list->count, sizeof *list->data, by_order);
}

/* Its entries become those of the list that are kept. */
static void refill(builder *b, sn_yaml *map, const entry_list *list)
{
    sn_yaml *fresh = sn_yaml_new(b->tree, map->place);
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i].kept)
            sn_yaml_append(b->tree, fresh, list->data[i].key, list->data[i].value);
    map->count = fresh->count, map->key = fresh->key, map->value = fresh->value;
}

static bool add_merged(builder *b, sn_text_place place, const sn_yaml *from, entry_list *list)
{
    if (from->kind != SN_YAML_MAP)
        return fail(b, place, "\"<<\" expects a mapping or a list of mappings");
    b->merged += from->count;
    if (b->merged > MOST_MERGED)
        return fail(b, place, "\"<<\" brings more than %d entries in all", MOST_MERGED);
    add_entries(list, from, SIZE_MAX, false);
    return true;
}

/* Replaces `<<: map` and `<<: [map, ...]` by the entries that the map does not have itself. */
static bool merge(builder *b, sn_yaml *map)
{
    long at = sn_yaml_find(map, "<<");
    if (at < 0 || !map->key[at]->plain)
        return true;
    const sn_yaml *from = map->value[at];
    sn_text_place place = map->key[at]->place;
    bool is_list = from->kind == SN_YAML_LIST, good = true;
    entry_list list = {0};
    add_entries(&list, map, (size_t)at, true);
    for (size_t i = 0; good && i < (is_list ? from->count : 1); i++)
        good = add_merged(b, place, is_list ? from->value[i] : from, &list);
    if (good && list.count > 0)
        drop_hidden(&list);
    if (good)
        refill(b, map, &list);
    sn_vector_free(&list);
    return good;
}

static sn_yaml *build_node(builder *b, struct fy_event *event);

static bool fill_list(builder *b, sn_yaml *list)
{
    for (;;) {
        struct fy_event *event = next_event(b);
        if (!event)
            return false;
        if (event->type == FYET_SEQUENCE_END) {
            fy_parser_event_free(b->parser, event);
            return true;
        }
        sn_yaml *value = build_node(b, event);
        if (!value)
            return false;
        sn_yaml_append(b->tree, list, NULL, value);
    }
}

static bool fill_map(builder *b, sn_yaml *map)
{
    for (;;) {
        struct fy_event *event = next_event(b);
        if (!event)
            return false;
        if (event->type == FYET_MAPPING_END) {
            fy_parser_event_free(b->parser, event);
            return merge(b, map);
        }
        sn_yaml *key = build_node(b, event);
        struct fy_event *value_event = key ? next_event(b) : NULL;
        sn_yaml *value = value_event ? build_node(b, value_event) : NULL;
        if (!value)
            return false;
        sn_yaml_append(b->tree, map, key, value);
    }
}

static sn_yaml *fill_collection(builder *b, enum fy_event_type type)
{
    if (b->levels == MOST_LEVELS)
        return fail(b, b->last, "nested more than %d levels deep", MOST_LEVELS);
    b->levels++;
    sn_yaml *node = sn_yaml_new(b->tree, b->last);
    node->kind = type == FYET_MAPPING_START ? SN_YAML_MAP : SN_YAML_LIST;
    bool good = node->kind == SN_YAML_MAP ? fill_map(b, node) : fill_list(b, node);
    b->levels--;
    return good ? node : NULL;
}

/* The node that starts with this event, which is freed. */
static sn_yaml *build_node(builder *b, struct fy_event *event)
{
    enum fy_event_type type = event->type;
    struct fy_token *token = type == FYET_ALIAS ? NULL : fy_event_get_anchor_token(event);
    sn_yaml *name = token ? scalar_from_token(b, token) : NULL;
    sn_yaml *node = NULL;
    bool collection = false;
    if (type != FYET_ALIAS && fy_event_get_tag_token(event))
        fail(b, b->last, "tags such as !!str have no meaning in a scene");
    else if (type == FYET_ALIAS)
        node = resolve_alias(b, event->alias.anchor);
    else if (type == FYET_SCALAR)
        node = scalar_from_token(b, event->scalar.value);
    else if (type == FYET_MAPPING_START || type == FYET_SEQUENCE_START)
        collection = true;
    else
        fail(b, b->last, "not valid YAML: a value was expected");
    fy_parser_event_free(b->parser, event);
    if (collection)
        node = fill_collection(b, type);
    if (node && name)
        add_anchor(b, name, node);
    return node;
}

/* Goes through the events of the whole text: exactly one document, or none. */
static bool build_document(builder *b, sn_yaml **root)
{
    for (;;) {
        struct fy_event *event = next_event(b);
        if (!event)
            return false;
        enum fy_event_type type = event->type;
        bool content = type == FYET_SCALAR || type == FYET_ALIAS || type == FYET_MAPPING_START ||
                       type == FYET_SEQUENCE_START;
        if (!content)
            fy_parser_event_free(b->parser, event);
        if (type == FYET_STREAM_END)
            return true;
        if (type == FYET_DOCUMENT_START && *root)
            return fail(b, b->last, "a second document starts here: expected one");
        if (content && !(*root = build_node(b, event)))
            return false;
    }
}

/* libfyaml's way to speak; it is not to speak at all. */
static void say_nothing(struct fy_diag *diag, void *user, const char *text, size_t length)
{
    (void)diag, (void)user, (void)text, (void)length;
}

/* The place behind so many bytes. */
static sn_text_place place_behind(const char *text, size_t bytes, int source)
{
    sn_text_place place = {1, 1, source};
    for (size_t i = 0; i < bytes; i++) {
        bool continued = (text[i] & 0xC0) == 0x80; /* inside a character of several bytes */
        place.column = text[i] == '\n' ? 1 : place.column + !continued;
        place.line += text[i] == '\n';
    }
    return place;
}

static bool build(builder *b, const char *text, size_t length, sn_yaml **root)
{
    size_t good = sn_utf8_span(text, length, "\t\n\r");
    if (good < length)
        fail(b, place_behind(text, good, b->last.source),
             "not valid YAML: a byte that is not text in UTF-8");
    else if (length == 0)
        return true;
    else if (fy_parser_set_string(b->parser, text, length) != 0)
        fail_syntax(b);
    else
        return build_document(b, root);
    return false;
}

/* Some editors put a byte order mark in front. */
static size_t skip_byte_order_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

bool sn_yaml_parse(sn_yaml_tree *tree, const char *text, size_t length, int source, sn_yaml **root,
                   sn_yaml_error *error)
{
    *root = NULL;
    struct fy_diag_cfg diag_cfg;
    fy_diag_cfg_default(&diag_cfg);
    diag_cfg.fp = NULL;
    diag_cfg.output_fn = say_nothing;
    struct fy_diag *diag = fy_diag_create(&diag_cfg);
    fy_diag_set_collect_errors(diag, true);
    struct fy_parse_cfg cfg = {.flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = diag};
    builder b = {.parser = fy_parser_create(&cfg),
                 .diag = diag,
                 .tree = tree,
                 .error = error,
                 .last = {1, 1, source}};
    size_t skipped = skip_byte_order_mark(text, length);
    bool good = build(&b, text + skipped, length - skipped, root);
    sn_vector_free(&b.anchors);
    fy_parser_destroy(b.parser);
    fy_diag_destroy(diag);
    return good;
}
