/* A file read in one go.
 *
 * For inputs that are parsed in memory. Only regular files are read: a pipe, for instance, could
 * hold the run up for ever. Whatever the user can put right (no such file, a directory, no
 * permission) is bad input; a disk that fails is the machine's fault. */
#ifndef SN_IO_TEXT_WHOLE_FILE_H
#define SN_IO_TEXT_WHOLE_FILE_H

#include "base/status.h"

#include <stddef.h>

typedef struct {
    char *data; /* a zero byte follows the last one */
    size_t bytes;
} sn_whole_file;

/* An empty file is refused. */
SN_CHECKED sn_status sn_whole_file_read(const char *path, sn_whole_file *file);
/* A file of more bytes is refused, an empty one is not. */
SN_CHECKED sn_status sn_whole_file_read_up_to(const char *path, size_t most_bytes,
                                              sn_whole_file *file);
void sn_whole_file_free(sn_whole_file *file);

/* Fails as sn_whole_file_read would, for files that a library opens by itself. */
SN_CHECKED sn_status sn_whole_file_check(const char *path);

#endif
