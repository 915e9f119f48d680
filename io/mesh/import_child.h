/* A process that reads a file with Assimp (io/mesh/import.h), seen from where it was started. */
#ifndef SN_IO_MESH_IMPORT_CHILD_H
#define SN_IO_MESH_IMPORT_CHILD_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct {
    const char *path; /* the caller's */
    const char *what; /* is read, for messages; the caller's */
    pid_t process;
    FILE *pipe;
} sn_import_child;

/* Starts it with an option of io/mesh/import_stream.h and two words more, which may be NULL. After
 * a failure there is nothing to end. */
SN_CHECKED sn_status sn_import_child_start(const char *option, const char *path, const char *what,
                                           const char *const words[2], sn_import_child *child);

/* The next bytes; false where the stream ends before them. Why is told by sn_import_child_end. */
bool sn_import_child_receive(sn_import_child *child, void *data, size_t bytes);

/* Fails with the message that comes next. */
SN_CHECKED sn_status sn_import_child_message(sn_import_child *child, uint64_t bytes);

/* Waits for its end, always. Returns the status or, if that is good and what came was not whole, a
 * failure that says how it ended. */
SN_CHECKED sn_status sn_import_child_end(sn_import_child *child, sn_status status, bool whole);

#endif
