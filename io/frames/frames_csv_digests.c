#include "io/frames/frames_csv_digests.h"

#include "io/text/whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 100 }; /* runs write 16, and each is looked for from the first one on */

/* Where the cell with this number starts in its line; NULL if that has not so many. */
static const char *cell_of(const char *line, int column)
{
    for (; column > 0 && line; column--) {
        line += strcspn(line, ",\n");
        line = *line == ',' ? line + 1 : NULL;
    }
    return line;
}

/* The number of the column of this name; -1: there is none. */
static int column_of(const char *header, const char *name)
{
    size_t length = strlen(name);
    for (int column = 0; column < MOST_COLUMNS; column++) {
        const char *cell = cell_of(header, column);
        if (!cell)
            break;
        if (strcspn(cell, ",\n") == length && memcmp(cell, name, length) == 0)
            return column;
    }
    return -1;
}

static bool read_row(const char *line, int frame, int digest, sn_frame_digest *row)
{
    const char *frame_cell = cell_of(line, frame), *digest_cell = cell_of(line, digest);
    return frame_cell && digest_cell && sscanf(frame_cell, "%d", &row->frame) == 1 &&
           sscanf(digest_cell, "%" SCNx64, &row->digest) == 1;
}

static void read_rows(const char *text, sn_frame_digests *digests)
{
    int frame = column_of(text, "frame"), digest = column_of(text, "digest");
    if (frame < 0 || digest < 0)
        return;
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        sn_frame_digest row;
        if (read_row(text, frame, digest, &row)) /* the header is none */
            sn_push(digests, row);
    }
}

sn_status sn_frames_csv_digests(const char *path, sn_frame_digests *digests)
{
    sn_whole_file file;
    *digests = (sn_frame_digests){0};
    if (access(path, F_OK) != 0)
        return SN_OK;
    SN_TRY(sn_whole_file_read(path, &file));
    read_rows(file.data, digests);
    sn_whole_file_free(&file);
    return SN_OK;
}
