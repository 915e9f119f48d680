/* YAML text as a tree of small nodes.
 *
 * This module knows libfyaml and hides it: what comes out are scalars, lists and maps, each
 * with the place it was written at. Aliases are resolved (a node may hang in the tree more
 * than once) and merge keys (`<<`) are expanded. Nothing is printed: what is wrong with the
 * text is handed back as a place and a message. Nodes belong to their tree and are freed
 * with it. */
#ifndef SN_IO_SCHEMA_YAML_H
#define SN_IO_SCHEMA_YAML_H

#include "base/array.h"

#include <stdbool.h>
#include <stddef.h>

/* Line and column count from 1; `source` says which text: 0 the file, k the k-th override. */
typedef struct {
    int line, column, source;
} sn_text_place;

typedef enum { SN_YAML_SCALAR, SN_YAML_LIST, SN_YAML_MAP } sn_yaml_kind;

typedef struct sn_yaml sn_yaml;
struct sn_yaml {
    sn_yaml_kind kind;
    sn_text_place place;
    bool plain;    /* a scalar without quotes */
    char *text;    /* a scalar's, ends with a zero byte */
    size_t length; /* of the text, which may hold zero bytes of its own */
    size_t count;
    sn_yaml **key;   /* a map's; scalars or not is for the reader to check */
    sn_yaml **value; /* a map's or a list's */
};

/* Nodes with their texts and children lie in a few large blocks, as a long text has millions. */
typedef struct {
    SN_VECTOR(sn_yaml *) nodes;
    SN_VECTOR(char *) blocks;
    char *free;  /* in the last block */
    size_t left; /* bytes from there on */
} sn_yaml_tree;

typedef struct {
    sn_text_place place;
    char message[200];
} sn_yaml_error;

/* Parses one document. False, and `error` says why, if the text is not YAML. `*root` is NULL
 * for a text without a document. */
bool sn_yaml_parse(sn_yaml_tree *tree, const char *text, size_t length, int source, sn_yaml **root,
                   sn_yaml_error *error);
void sn_yaml_tree_free(sn_yaml_tree *tree);

/* A new node, an empty scalar. */
sn_yaml *sn_yaml_new(sn_yaml_tree *tree, sn_text_place place);
/* A new scalar with a copy of the text. */
sn_yaml *sn_yaml_new_scalar(sn_yaml_tree *tree, sn_text_place place, const char *text,
                            size_t length);
/* A new node with the same children. */
sn_yaml *sn_yaml_copy(sn_yaml_tree *tree, const sn_yaml *node);
/* Adds to the end of a list (key NULL) or a map. */
void sn_yaml_append(sn_yaml_tree *tree, sn_yaml *parent, sn_yaml *key, sn_yaml *value);

/* Index of the entry of a map with this key, or -1. */
long sn_yaml_find(const sn_yaml *map, const char *key);

/* Nothing was written where a value could stand: empty, ~ or null. */
bool sn_yaml_is_null(const sn_yaml *node);

#endif
