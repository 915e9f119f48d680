/* Files that appear under their name only when they are whole.
 *
 * Until then they have another one beside it, which says who writes them, host and process:
 *
 *     frames.csv.node7-4711.part
 *
 * So no two programs ever write one file, and what a killed one left is known by its name. Links
 * are not followed: a file takes the place of a link with its name.
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

#include <stddef.h>
#include <stdio.h>

typedef struct {
    FILE *stream;
    char *path, *part; /* the file's name, and the one until it is whole */
} sn_part_file;

/* After a failure there is nothing to finish. */
SN_CHECKED sn_status sn_part_file_open(const char *path, sn_part_file *file);

/* With SN_OK the file gets its name, if all of it could be written; otherwise nothing is left
 * of it, and the status is handed on. */
SN_CHECKED sn_status sn_part_file_finish(sn_part_file *file, sn_status status);

/* The name that a file has until it is whole, if this process writes it; the caller frees it. */
char *sn_part_path(const char *path);

/* A new file of that name, open for writing, in the place of what an earlier process of the same
 * number left; a negative number, with errno, if it can't be made. */
int sn_part_make(const char *part);

/* How many characters of a name are those of the file that it is a part of; 0 if it is no part. */
size_t sn_part_stem(const char *name);

/* Right after a write that failed: a failure with the system's reason, for work that need not go
 * on to the end. */
sn_status sn_part_file_failed(const char *path);

#endif
