#include "io/schema/yaml.h"

#include <string.h>

enum { BLOCK_BYTES = 1 << 14 };

/* Zeros, aligned for any node; freed with the tree. */
static void *take(sn_yaml_tree *tree, size_t bytes)
{
    size_t whole = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (whole > tree->left) {
        tree->left = whole > BLOCK_BYTES ? whole : BLOCK_BYTES;
        tree->free = SN_NEW_ZERO(char, tree->left);
        sn_push(&tree->blocks, tree->free);
    }
    void *taken = tree->free;
    tree->free += whole;
    tree->left -= whole;
    return taken;
}

sn_yaml *sn_yaml_new(sn_yaml_tree *tree, sn_text_place place)
{
    sn_yaml *node = take(tree, sizeof *node);
    node->place = place;
    node->plain = true;
    sn_push(&tree->nodes, node);
    return node;
}

sn_yaml *sn_yaml_new_scalar(sn_yaml_tree *tree, sn_text_place place, const char *text,
                            size_t length)
{
    sn_yaml *node = sn_yaml_new(tree, place);
    node->text = take(tree, length + 1);
    memcpy(node->text, text, length);
    node->length = length;
    return node;
}

sn_yaml *sn_yaml_copy(sn_yaml_tree *tree, const sn_yaml *node)
{
    if (node->kind == SN_YAML_SCALAR && node->text) {
        sn_yaml *scalar = sn_yaml_new_scalar(tree, node->place, node->text, node->length);
        scalar->plain = node->plain;
        return scalar;
    }
    sn_yaml *copy = sn_yaml_new(tree, node->place);
    copy->kind = node->kind;
    for (size_t i = 0; i < node->count; i++)
        sn_yaml_append(tree, copy, node->key ? node->key[i] : NULL, node->value[i]);
    return copy;
}

/* The room is always a power of two; what was too small stays in its block. */
static void add_child(sn_yaml_tree *tree, sn_yaml ***children, size_t count, sn_yaml *child)
{
    bool full = (count & (count - 1)) == 0;
    if (full) {
        sn_yaml **more = take(tree, (count ? 2 * count : 1) * sizeof *more);
        for (size_t i = 0; i < count; i++)
            more[i] = (*children)[i];
        *children = more;
    }
    (*children)[count] = child;
}

void sn_yaml_append(sn_yaml_tree *tree, sn_yaml *parent, sn_yaml *key, sn_yaml *value)
{
    size_t count = parent->count++;
    add_child(tree, &parent->value, count, value);
    if (key)
        add_child(tree, &parent->key, count, key);
}

long sn_yaml_find(const sn_yaml *map, const char *key)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->key[i]->text && strlen(key) == map->key[i]->length &&
            strcmp(map->key[i]->text, key) == 0)
            return (long)i;
    return -1;
}

bool sn_yaml_is_null(const sn_yaml *node)
{
    if (node->kind != SN_YAML_SCALAR || !node->plain)
        return false;
    return !node->text || strcmp(node->text, "") == 0 || strcmp(node->text, "~") == 0 ||
           strcmp(node->text, "null") == 0;
}

void sn_yaml_tree_free(sn_yaml_tree *tree)
{
    for (size_t i = 0; i < tree->blocks.count; i++)
        sn_free(tree->blocks.data[i]);
    sn_vector_free(&tree->blocks);
    sn_vector_free(&tree->nodes);
}
