#include "io/schema/yaml.h"

#include <string.h>

sn_yaml *sn_yaml_new(sn_yaml_tree *tree, sn_text_place place)
{
    sn_yaml *node = SN_NEW_ZERO(sn_yaml, 1);
    node->place = place;
    node->plain = true;
    sn_push(&tree->nodes, node);
    return node;
}

sn_yaml *sn_yaml_new_scalar(sn_yaml_tree *tree, sn_text_place place, const char *text,
                            size_t length)
{
    sn_yaml *node = sn_yaml_new(tree, place);
    node->text = SN_NEW_ZERO(char, length + 1);
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
        sn_yaml_append(copy, node->key ? node->key[i] : NULL, node->value[i]);
    return copy;
}

void sn_yaml_append(sn_yaml *parent, sn_yaml *key, sn_yaml *value)
{
    size_t count = parent->count++;
    bool full = (count & (count - 1)) == 0; /* the room is always a power of two */
    size_t room = count ? 2 * count : 1;
    if (full)
        SN_RESIZE(parent->value, room);
    parent->value[count] = value;
    if (!key)
        return;
    if (full)
        SN_RESIZE(parent->key, room);
    parent->key[count] = key;
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
    for (size_t i = 0; i < tree->nodes.count; i++) {
        sn_free(tree->nodes.data[i]->text);
        sn_free(tree->nodes.data[i]->key);
        sn_free(tree->nodes.data[i]->value);
        sn_free(tree->nodes.data[i]);
    }
    sn_vector_free(&tree->nodes);
}
