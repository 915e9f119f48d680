/* A glTF 2 file as it is written: the objects of its JSON and the numbers in its buffers.
 *
 * Knows both forms, .gltf (JSON, with buffers beside it or in the text as base64) and .glb (one
 * file of chunks), and hides them. Nothing is believed that the file's bytes do not bear out: every
 * length, offset, stride and count is held against them before memory is taken, so that reading
 * takes memory and time in proportion to the file.
 *
 * Serial. Every problem is SN_BAD_INPUT and one message with the file's name and the object, such
 * as `accessors[3]`. Sparse accessors are refused; names of files for buffers are taken as they are
 * written, without %-signs' meaning. */
#ifndef SN_IO_GLTF_GLTF_H
#define SN_IO_GLTF_GLTF_H

#include "base/status.h"
#include "io/schema/yaml.h"
#include "io/text/whole_file.h"

#include <stdint.h>

typedef struct {
    sn_whole_file file;
    bool owned; /* else it is a part of the .glb file */
} sn_gltf_buffer;

typedef struct {
    const char *path;
    sn_whole_file file;
    sn_yaml_tree tree;
    const sn_yaml *root;
    sn_whole_file binary; /* the part of a .glb file with numbers; not owned */
    /* Those that were asked for; all others have no data. */
    SN_VECTOR(sn_gltf_buffer) buffers;
} sn_gltf;

/* The path must outlive it. After a failure there is nothing to close. */
SN_CHECKED sn_status sn_gltf_open(const char *path, sn_gltf *gltf);
void sn_gltf_close(sn_gltf *gltf);

/* An object of the JSON, and its name for messages, such as animations[0].samplers[2]. */
typedef struct {
    const sn_yaml *node; /* a map */
    char name[96];
} sn_gltf_object;

/* The outermost one, which has no name. */
sn_gltf_object sn_gltf_root(const sn_gltf *gltf);
/* What stands behind the key; NULL if there is none. */
const sn_yaml *sn_gltf_member(const sn_gltf_object *of, const char *key);
/* The object behind the key, and the one with this index in the list behind the key. */
SN_CHECKED sn_status sn_gltf_child(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                                   sn_gltf_object *object);
SN_CHECKED sn_status sn_gltf_entry(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                                   size_t index, sn_gltf_object *object);
/* Entries in the list behind the key; 0 without one. */
size_t sn_gltf_count(const sn_gltf_object *of, const char *key);
/* The text behind the key, or the one given here. */
const char *sn_gltf_text(const sn_gltf_object *of, const char *key, const char *left_out);
/* The finite number that is written there; false if it is something else. */
bool sn_gltf_real(const sn_yaml *node, double *real);
/* The whole number behind the key, which must be there. */
SN_CHECKED sn_status sn_gltf_index(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                                   size_t *index);
/* The same, or the number given here. */
SN_CHECKED sn_status sn_gltf_index_or(const sn_gltf *gltf, const sn_gltf_object *of,
                                      const char *key, size_t left_out, size_t *index);
/* So many numbers in the list behind the key; as they are if there is none. */
SN_CHECKED sn_status sn_gltf_reals(const sn_gltf *gltf, const sn_gltf_object *of, const char *key,
                                   size_t n, double *reals);

/* All of an accessor's rows, each of `width` numbers (1 to 4, or 16), which may be any that a float
 * can be; integers become what they stand for between -1 and 1. The caller frees the numbers. */
SN_CHECKED sn_status sn_gltf_numbers(sn_gltf *gltf, size_t accessor, size_t width, double **numbers,
                                     size_t *n_rows);
/* The same of whole numbers from 0 on; and of those with one a row. */
SN_CHECKED sn_status sn_gltf_whole_numbers(sn_gltf *gltf, size_t accessor, size_t width,
                                           uint32_t **numbers, size_t *n_rows);
SN_CHECKED sn_status sn_gltf_indices(sn_gltf *gltf, size_t accessor, uint32_t **indices, size_t *n);

#endif
