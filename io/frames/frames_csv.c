#include "io/frames/frames_csv.h"

#include "base/array.h"
#include "io/text/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { LINE_BYTES = 512 };

static sn_status fail(const sn_frames_csv *csv, const char *what)
{
    return SN_FAIL(SN_MACHINE, "%s: %s failed: %s", csv->path, what, strerror(errno));
}

/* Pipes and devices can't be synced; that is no failure. */
static bool sync_failed(int descriptor)
{
    return fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP;
}

static sn_status write_line(const sn_frames_csv *csv, const char *line, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t wrote = write(csv->descriptor, line + done, bytes - done);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return fail(csv, "writing");
        done += (size_t)wrote;
    }
    return sync_failed(csv->descriptor) ? fail(csv, "writing") : SN_OK;
}

/* Where the last whole line ends: right after the last line break. */
static sn_status end_of_rows(const sn_frames_csv *csv, off_t *end)
{
    off_t bytes = lseek(csv->descriptor, 0, SEEK_END);
    if (bytes < 0)
        return fail(csv, "reading");
    char piece[LINE_BYTES];
    for (*end = bytes; *end > 0;) {
        size_t n = *end < LINE_BYTES ? (size_t)*end : LINE_BYTES;
        if (pread(csv->descriptor, piece, n, *end - (off_t)n) != (ssize_t)n)
            return fail(csv, "reading");
        for (; n > 0; n--, (*end)--)
            if (piece[n - 1] == '\n')
                return SN_OK;
    }
    return SN_OK;
}

static sn_status open_file(sn_frames_csv *csv, bool go_on)
{
    static const char header[] = SN_FRAMES_CSV_HEADER "\n";
    int mode = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | (go_on ? 0 : O_TRUNC);
    csv->descriptor = open(csv->path, mode, 0666);
    if (csv->descriptor < 0)
        return fail(csv, "opening");
    off_t end = 0;
    if (go_on) {
        SN_TRY(end_of_rows(csv, &end));
        if (ftruncate(csv->descriptor, end) != 0)
            return fail(csv, "cutting off half a row");
    }
    return end == 0 ? write_line(csv, header, sizeof header - 1) : SN_OK;
}

sn_status sn_frames_csv_open(MPI_Comm comm, const char *path, bool go_on, sn_frames_csv *csv)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    size_t bytes = strlen(path) + 1;
    *csv = (sn_frames_csv){.comm = comm, .path = SN_NEW(char, bytes), .descriptor = -1};
    memcpy(csv->path, path, bytes);
    sn_status status = sn_agree(comm, rank == 0 ? open_file(csv, go_on) : SN_OK);
    if (status != SN_OK)
        sn_frames_csv_close(csv);
    return status;
}

/* A not-a-number has a sign, which depends on the processor and would be written. */
static double without_nan_sign(double x)
{
    return isnan(x) ? fabs(x) : x;
}

static size_t format_row(const sn_frame_row *r, char line[LINE_BYTES])
{
    double real[] = {r->time,      r->residual,        r->elastic_energy,  r->kinetic_energy,
                     r->min_det_f, r->volume,          r->max_penetration, r->bone_error,
                     r->seconds,   r->friction_excess, r->contact_energy};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        real[i] = without_nan_sign(real[i]);
    int bytes =
        snprintf(line, LINE_BYTES,
                 "%d,%.17g,%d,%d,%.17g,%.17g,%.17g,%.17g,%" PRId64
                 ",%.17g,%.17g,%.17g,%.17g,%016" PRIx64 ",%.17g,%.17g\n",
                 r->frame, real[0], r->newton, r->linear, real[1], real[2], real[3], real[4],
                 r->inverted, real[5], real[6], real[7], real[8], r->digest, real[9], real[10]);
    return (size_t)bytes; /* at most 15 columns of 25 characters: it fits */
}

static sn_status rewrite(const char *path, const sn_frame_row *rows, size_t n)
{
    sn_part_file file;
    SN_TRY(sn_part_file_open(path, &file));
    fputs(SN_FRAMES_CSV_HEADER "\n", file.stream);
    for (size_t i = 0; i < n; i++) {
        char line[LINE_BYTES];
        fwrite(line, 1, format_row(&rows[i], line), file.stream);
    }
    return sn_part_file_finish(&file, SN_OK);
}

sn_status sn_frames_csv_rewrite(MPI_Comm comm, const char *path, const sn_frame_row *rows, size_t n)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return sn_agree(comm, rank == 0 ? rewrite(path, rows, n) : SN_OK);
}

static sn_status add_row(const sn_frames_csv *csv, const sn_frame_row *row)
{
    char line[LINE_BYTES];
    size_t bytes = format_row(row, line);
    return write_line(csv, line, bytes);
}

sn_status sn_frames_csv_add(sn_frames_csv *csv, const sn_frame_row *row)
{
    return sn_agree(csv->comm, csv->descriptor >= 0 ? add_row(csv, row) : SN_OK);
}

void sn_frames_csv_close(sn_frames_csv *csv)
{
    if (!csv->path)
        return;
    if (csv->descriptor >= 0)
        close(csv->descriptor); /* every row is on the disk already */
    sn_free(csv->path);
    *csv = (sn_frames_csv){.descriptor = -1};
}

const char *sn_frame_row_not_finite(const sn_frame_row *row)
{
    const struct {
        const char *name;
        double value;
    } columns[] = {{"time", row->time},
                   {"residual", row->residual},
                   {"elastic_energy", row->elastic_energy},
                   {"kinetic_energy", row->kinetic_energy},
                   {"min_det_f", row->min_det_f},
                   {"volume", row->volume},
                   {"max_penetration", row->max_penetration},
                   {"bone_error", row->bone_error},
                   {"seconds", row->seconds},
                   {"friction_excess", row->friction_excess},
                   {"contact_energy", row->contact_energy},
                   {"depth in cells", row->penetrated_cells}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!isfinite(columns[i].value))
            return columns[i].name;
    return NULL;
}
