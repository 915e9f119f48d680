/* Files that appear under their name only when they are whole.
 *
 *     sn_part_file file;
 *     SN_TRY(sn_part_file_open(path, &file));
 *     fprintf(file.stream, ...);                  errors of the stream are found at the end
 *     return sn_part_file_finish(&file, status);
 *
 * Not collective: one rank writes. */
#ifndef SN_IO_TEXT_PART_FILE_H
#define SN_IO_TEXT_PART_FILE_H

#include "base/status.h"

#include <stdio.h>

/* Until then their names end with this. */
#define SN_PART_ENDING ".part"

typedef struct {
    FILE *stream;
    char *path, *part; /* the file's name, and the one until it is whole */
} sn_part_file;

/* After a failure there is nothing to finish. */
SN_CHECKED sn_status sn_part_file_open(const char *path, sn_part_file *file);

/* With SN_OK the file gets its name, if all of it could be written; otherwise nothing is left
 * of it, and the status is handed on. */
SN_CHECKED sn_status sn_part_file_finish(sn_part_file *file, sn_status status);

/* Right after a write that failed: a failure with the system's reason, for work that need not go
 * on to the end. */
sn_status sn_part_file_failed(const char *path);

#endif
