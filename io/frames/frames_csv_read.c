#include "io/frames/frames_csv.h"

#include "base/array.h"
#include "io/text/whole_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS = 16, MOST_BYTES = 1 << 28, LONGEST_SHOWN = 300 };

/* Exactly one row; `penetrated_cells` is no column. */
static bool read_row(const char *line, sn_frame_row *r)
{
    int end = 0;
    *r = (sn_frame_row){0};
    int found = sscanf(
        line, "%d,%lf,%d,%d,%lf,%lf,%lf,%lf,%" SCNd64 ",%lf,%lf,%lf,%lf,%16" SCNx64 ",%lf,%lf%n",
        &r->frame, &r->time, &r->newton, &r->linear, &r->residual, &r->elastic_energy,
        &r->kinetic_energy, &r->min_det_f, &r->inverted, &r->volume, &r->max_penetration,
        &r->bone_error, &r->seconds, &r->digest, &r->friction_excess, &r->contact_energy, &end);
    return found == COLUMNS && line[end] == '\0';
}

static sn_status read_rows(const char *path, char *text, sn_frame_row **rows, size_t *n)
{
    static const char header[] = SN_FRAMES_CSV_HEADER;
    SN_VECTOR(sn_frame_row) list = {0};
    char *end = strchr(text, '\n');
    bool good =
        end && (size_t)(end - text) == strlen(header) && strncmp(text, header, strlen(header)) == 0;
    for (char *line = good ? end + 1 : NULL; good && (end = strchr(line, '\n')); line = end + 1) {
        sn_frame_row row;
        *end = '\0';
        good = read_row(line, &row);
        sn_push(&list, row);
    }
    if (good) {
        *rows = list.data;
        *n = list.count;
        return SN_OK;
    }
    sn_status status = SN_FAIL(SN_BAD_INPUT, "%.*s:%zu: not the table that a run writes",
                               LONGEST_SHOWN, path, list.count + 1);
    sn_vector_free(&list);
    return status;
}

sn_status sn_frames_csv_read(const char *path, sn_frame_row **rows, size_t *n)
{
    sn_whole_file file;
    *rows = NULL;
    *n = 0;
    SN_TRY(sn_whole_file_read_up_to(path, MOST_BYTES, &file));
    sn_status status = read_rows(path, file.data, rows, n);
    sn_whole_file_free(&file);
    return status;
}
