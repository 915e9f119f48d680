/* Where the values of a scene came from, so that a message can say so.
 *
 * Keeps the file's name, the overrides of the command line, and for each key path such as
 * `bodies[0].cell` the place where its value was written. A failure is then reported as
 *     shot.yaml:12:5: bodies[0].cell: expected a number greater than 0, got "abc"
 *     -P bodies.flesh.cell=abc: expected a number greater than 0, got "abc"
 * by whoever finds it, at whatever stage, from the key path alone. Modules that read files, or
 * check what they are told, get the origin beside their settings, and need not know what a scene
 * is. */
#ifndef SN_IO_SCHEMA_ORIGIN_H
#define SN_IO_SCHEMA_ORIGIN_H

#include "base/array.h"
#include "base/status.h"
#include "io/schema/yaml.h"

#include <stdarg.h>

typedef struct {
    char *text; /* as given: bodies.flesh.cell=0.1 */
    char *path; /* bodies[0].cell, NULL until it was looked up */
} sn_override;

typedef struct {
    char *path;
    sn_text_place place;
} sn_written;

typedef struct {
    char *file;
    SN_VECTOR(sn_override) overrides;
    SN_VECTOR(sn_written) written;
} sn_origin;

void sn_origin_free(sn_origin *origin);

/* Remembers where the value of a key path was written. */
void sn_origin_note(sn_origin *origin, const char *path, sn_text_place place);

/* The place of a key path, or of the nearest thing around it that was written. */
sn_text_place sn_origin_find(const sn_origin *origin, const char *path);

/* Each keeps the message and returns SN_BAD_INPUT. `path` may be "":
 *     return sn_origin_fail(origin, sn_key_path("bodies[%zu].mesh", i).text, "has no faces"); */
sn_status sn_origin_fail_at(const sn_origin *origin, sn_text_place place, const char *path,
                            const char *format, ...) __attribute__((format(printf, 4, 5)));
sn_status sn_origin_fail(const sn_origin *origin, const char *path, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
sn_status sn_origin_vfail(const sn_origin *origin, sn_text_place place, const char *path,
                          const char *format, va_list arguments)
    __attribute__((format(printf, 4, 0)));

/* The failure that was just reported, with the place of a key in front: SN_BAD_INPUT, or SN_MACHINE
 * if it was that, for a failing disk is not the scene's fault. */
sn_status sn_origin_blame(const sn_origin *origin, const char *path, sn_status status);

/* The path of a file that is named in the origin's: relative to its folder, unless it is absolute
 * or starts with `builtin:`. Fails if it does not fit. */
SN_CHECKED sn_status sn_origin_path(const sn_origin *origin, const char *relative, char *out,
                                    size_t size);

/* A key path made on the spot: sn_key_path("bodies[%zu].mesh", i).text */
typedef struct {
    char text[256];
} sn_path;
sn_path sn_key_path(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A copy of a string from the counted allocator. */
char *sn_copy_text(const char *text);

#endif
