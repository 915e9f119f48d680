#include "io/gltf/gltf.h"

#include "io/schema/schema.h"
#include "io/text/byte_order.h"

#include <math.h>
#include <stdio.h>

enum { MOST_KEYS = 4096 }; /* of an object: the specification has some twenty, `extras` any */
static const double MOST_WHOLE = 9007199254740992; /* up to here doubles count */

/* The chunks of a .glb file, which is little-endian: a header, then length, kind and bytes. */
enum { GLB_VERSION = 2, GLB_HEADER = 12, CHUNK_HEADER = 8 };
static const char GLB_MAGIC[] = "glTF", JSON_CHUNK[] = "JSON", BINARY_CHUNK[] = "BIN\0";

static bool take_chunk(const sn_whole_file *file, size_t *at, const char kind[4],
                       sn_whole_file *chunk)
{
    if (file->bytes - *at < CHUNK_HEADER || memcmp(file->data + *at + 4, kind, 4) != 0)
        return false;
    size_t bytes = sn_read_u32(file->data + *at, SN_LITTLE_ENDIAN);
    if (bytes > file->bytes - *at - CHUNK_HEADER)
        return false;
    *chunk = (sn_whole_file){file->data + *at + CHUNK_HEADER, bytes};
    *at += CHUNK_HEADER + bytes;
    return true;
}

static sn_status find_parts(sn_gltf *g, sn_whole_file *json)
{
    const sn_whole_file *file = &g->file;
    *json = *file;
    if (file->bytes < 4 || memcmp(file->data, GLB_MAGIC, 4) != 0)
        return SN_OK;
    if (file->bytes < GLB_HEADER || sn_read_u32(file->data + 4, SN_LITTLE_ENDIAN) != GLB_VERSION ||
        sn_read_u32(file->data + 8, SN_LITTLE_ENDIAN) != file->bytes)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: expected a binary glTF file of version 2 with all its bytes", g->path);
    size_t at = GLB_HEADER;
    if (!take_chunk(file, &at, JSON_CHUNK, json))
        return SN_FAIL(SN_BAD_INPUT, "%s: expected a whole part with JSON", g->path);
    if (at < file->bytes && !take_chunk(file, &at, BINARY_CHUNK, &g->binary))
        return SN_FAIL(SN_BAD_INPUT, "%s: expected a whole part with numbers after the JSON",
                       g->path);
    return SN_OK;
}

static const char *without(const char *text, const char *start)
{
    size_t length = strlen(start);
    return strncmp(text, start, length) == 0 ? text + length : text;
}

/* Keys are looked for one after the other, again and again. */
static sn_status check_maps(const sn_gltf *g)
{
    for (size_t i = 0; i < g->tree.nodes.count; i++) {
        const sn_yaml *node = g->tree.nodes.data[i];
        if (node->kind == SN_YAML_MAP && node->count > MOST_KEYS)
            return SN_FAIL(SN_BAD_INPUT, "%s:%d:%d: an object has more than %d keys", g->path,
                           node->place.line, node->place.column, MOST_KEYS);
    }
    return SN_OK;
}

/* Version 1 has other names for nearly everything. */
static sn_status check_version(const sn_gltf *g)
{
    sn_gltf_object root = sn_gltf_root(g), asset;
    SN_TRY(sn_gltf_child(g, &root, "asset", &asset));
    const char *version = sn_gltf_text(&asset, "version", "");
    if (version[0] == '2')
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: expected glTF of version 2, got \"%.20s\"", g->path, version);
}

/* JSON is YAML, which a message need not tell. */
static sn_status parse(sn_gltf *g)
{
    sn_whole_file json;
    sn_yaml *root;
    sn_yaml_error error;
    SN_TRY(find_parts(g, &json));
    if (!sn_yaml_parse(&g->tree, json.data, json.bytes, 0, &root, &error))
        return SN_FAIL(SN_BAD_INPUT, "%s:%d:%d: the JSON is broken: %s", g->path, error.place.line,
                       error.place.column, without(error.message, "not valid YAML: "));
    if (!root || root->kind != SN_YAML_MAP)
        return SN_FAIL(SN_BAD_INPUT, "%s: expected a JSON object", g->path);
    g->root = root;
    SN_TRY(check_maps(g));
    return check_version(g);
}

sn_status sn_gltf_open(const char *path, sn_gltf *gltf)
{
    *gltf = (sn_gltf){.path = path};
    SN_TRY(sn_whole_file_read(path, &gltf->file));
    sn_status status = parse(gltf);
    if (status != SN_OK)
        sn_gltf_close(gltf);
    return status;
}

void sn_gltf_close(sn_gltf *gltf)
{
    for (size_t b = 0; b < gltf->buffers.count; b++)
        if (gltf->buffers.data[b].owned)
            sn_whole_file_free(&gltf->buffers.data[b].file);
    sn_vector_free(&gltf->buffers);
    sn_yaml_tree_free(&gltf->tree);
    sn_whole_file_free(&gltf->file);
}

sn_gltf_object sn_gltf_root(const sn_gltf *gltf)
{
    return (sn_gltf_object){.node = gltf->root};
}

const sn_yaml *sn_gltf_member(const sn_gltf_object *of, const char *key)
{
    long at = sn_yaml_find(of->node, key);
    return at < 0 ? NULL : of->node->value[at];
}

/* Within the outermost object names have no dot in front. */
static sn_status fail(const sn_gltf *g, const sn_gltf_object *of, const char *key,
                      const char *expected)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: %s%s%s: expected %s", g->path, of->name,
                   of->name[0] ? "." : "", key, expected);
}

static sn_status found(const sn_gltf *g, const sn_gltf_object *of, const char *name,
                       const sn_yaml *node, sn_gltf_object *object)
{
    if (!node || node->kind != SN_YAML_MAP)
        return fail(g, of, name, "an object");
    object->node = node;
    snprintf(object->name, sizeof object->name, "%.40s%s%.50s", of->name, of->name[0] ? "." : "",
             name);
    return SN_OK;
}

sn_status sn_gltf_child(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                        sn_gltf_object *object)
{
    return found(gltf, of, key, sn_gltf_member(of, key), object);
}

size_t sn_gltf_count(const sn_gltf_object *of, const char *key)
{
    const sn_yaml *list = sn_gltf_member(of, key);
    return list && list->kind == SN_YAML_LIST ? list->count : 0;
}

sn_status sn_gltf_entry(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                        size_t index, sn_gltf_object *object)
{
    char name[64];
    bool there = index < sn_gltf_count(of, key);
    snprintf(name, sizeof name, "%.30s[%zu]", key, index);
    return found(gltf, of, name, there ? sn_gltf_member(of, key)->value[index] : NULL, object);
}

const char *sn_gltf_text(const sn_gltf_object *of, const char *key, const char *left_out)
{
    const sn_yaml *text = sn_gltf_member(of, key);
    return text && text->kind == SN_YAML_SCALAR && text->text ? text->text : left_out;
}

bool sn_gltf_real(const sn_yaml *node, double *real)
{
    return node->kind == SN_YAML_SCALAR && node->text && sn_text_to_real(node->text, real);
}

sn_status sn_gltf_index_or(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                           size_t left_out, size_t *index)
{
    *index = left_out;
    return sn_gltf_member(of, key) ? sn_gltf_index(gltf, of, key, index) : SN_OK;
}

sn_status sn_gltf_index(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                        size_t *index)
{
    const sn_yaml *node = sn_gltf_member(of, key);
    double real;
    if (!node || !sn_gltf_real(node, &real) || real < 0 || real > MOST_WHOLE || real != floor(real))
        return fail(gltf, of, key, "a whole number from 0 on");
    *index = (size_t)real;
    return SN_OK;
}

sn_status sn_gltf_reals(const sn_gltf *gltf, const sn_gltf_object *of, const char *key, size_t n,
                        double *reals)
{
    const sn_yaml *list = sn_gltf_member(of, key);
    if (!list)
        return SN_OK;
    bool good = list->kind == SN_YAML_LIST && list->count == n;
    for (size_t i = 0; good && i < n; i++)
        good = sn_gltf_real(list->value[i], &reals[i]);
    char expected[32];
    snprintf(expected, sizeof expected, "%zu finite numbers", n);
    return good ? SN_OK : fail(gltf, of, key, expected);
}
