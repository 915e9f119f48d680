#include "run/diagnose.h"

#include "io/text/utf8.h"
#include "io/text/whole_file.h"
#include "run/faults.h"
#include "run/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOST_LOG = 1 << 28 };

/* A line of the log about contact, with its frame. */
typedef struct {
    int frame;
    const char *text; /* in the log */
    int length;
} remark;

typedef struct {
    const sn_scene *scene;
    sn_frame_row *row;
    size_t n;
    sn_fault_list faults;
    const sn_fault **by_frame; /* the faults, in the order of their frames */
    sn_whole_file log;
    SN_VECTOR(remark) remarks; /* as well, and one a frame, when all are read */
} findings;

/* ---- Reading ---- */

static sn_status path_in(const char *run_dir, const char *name, char path[PATH_BYTES])
{
    return snprintf(path, PATH_BYTES, "%s/%s", run_dir, name) < PATH_BYTES
               ? SN_OK
               : SN_FAIL(SN_BAD_INPUT, "%.60s...: the path is too long", run_dir);
}

/* As run/frames.c says it: "frame 7: contact not resolved: ...". The last word on a frame counts,
 * which may have been computed more than once. */
static void add_remark(findings *f, const char *line, const char *end)
{
    static const char what[] = ": contact not resolved";
    const char *frame = strstr(line, "frame ");
    int number, length = 0;
    if (!frame || frame >= end || sscanf(frame, "frame %d%n", &number, &length) != 1 ||
        strncmp(frame + length, what, sizeof what - 1) != 0)
        return;
    const char *text = frame + length + 2;
    sn_push(&f->remarks,
            ((remark){number, text, (int)sn_utf8_span(text, (size_t)(end - text), "")}));
}

/* What is later in the log comes later. */
static int compare_remarks(const void *a, const void *b)
{
    const remark *x = a, *y = b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

static void keep_last_remarks(findings *f)
{
    size_t n = f->remarks.count, kept = 0;
    remark *r = f->remarks.data;
    if (n > 0)
        qsort(r, n, sizeof *r, compare_remarks);
    for (size_t i = 0; i < n; i++)
        if (i + 1 == n || r[i + 1].frame != r[i].frame)
            r[kept++] = r[i];
    f->remarks.count = kept;
}

/* Those of one frame stay as they are in the file. */
static int compare_faults(const void *a, const void *b)
{
    const sn_fault *x = *(const sn_fault *const *)a, *y = *(const sn_fault *const *)b;
    if (x->frame != y->frame)
        return x->frame < y->frame ? -1 : 1;
    return (x > y) - (x < y);
}

static void sort_faults(findings *f)
{
    f->by_frame = SN_NEW(const sn_fault *, f->faults.count);
    for (size_t i = 0; i < f->faults.count; i++)
        f->by_frame[i] = &f->faults.data[i];
    if (f->faults.count > 0)
        qsort(f->by_frame, f->faults.count, sizeof *f->by_frame, compare_faults);
}

static sn_status read_log(const char *run_dir, findings *f)
{
    char path[PATH_BYTES];
    SN_TRY(path_in(run_dir, "log.txt", path));
    if (access(path, F_OK) != 0)
        return SN_OK;
    SN_TRY(sn_whole_file_read_up_to(path, MOST_LOG, &f->log));
    for (char *line = f->log.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        add_remark(f, line, end);
    }
    keep_last_remarks(f);
    return SN_OK;
}

static sn_status read_all(const char *run_dir, findings *f)
{
    char path[PATH_BYTES];
    SN_TRY(path_in(run_dir, "frames.csv", path));
    if (access(path, F_OK) == 0)
        SN_TRY(sn_frames_csv_read(path, &f->row, &f->n));
    SN_TRY(path_in(run_dir, SN_DIAGNOSIS_FILE, path));
    SN_TRY(sn_faults_read(path, &f->faults));
    sort_faults(f);
    return read_log(run_dir, f);
}

/* ---- Saying ---- */

/* Remarks that are not of a frame that has been computed again since, and was good then, stay. */
static const remark *remark_of(const findings *f, int frame)
{
    size_t from = 0, to = f->remarks.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (f->remarks.data[middle].frame < frame)
            from = middle + 1;
        else
            to = middle;
    }
    const remark *found = f->remarks.data + from;
    return from < f->remarks.count && found->frame == frame ? found : NULL;
}

static size_t first_fault(const findings *f, int frame)
{
    size_t from = 0, to = f->faults.count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (f->by_frame[middle]->frame < frame)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static int say_faults(const findings *f, int frame)
{
    int said = 0;
    for (size_t i = first_fault(f, frame); i < f->faults.count && f->by_frame[i]->frame == frame;
         i++, said++)
        printf("  %s\n    try %s\n", sn_fault_words(f->by_frame[i]).text,
               sn_fault_advice(f->by_frame[i], f->scene->frames.substeps).text);
    return said;
}

/* Whether the frame is not to be trusted. */
static bool say_row(const findings *f, const sn_frame_row *row)
{
    double tolerance = f->scene->solver.newton.tolerance;
    const remark *contact = remark_of(f, row->frame);
    bool missed = !(row->residual <= tolerance);
    if (!missed && !contact && row->inverted == 0)
        return false;
    printf("frame %d\n", row->frame);
    if (missed)
        printf("  its residual of %.3g is above the tolerance of %g, after %d iterations\n"
               "    try more of them (solver.newton.max), or frames.substeps: %d\n",
               row->residual, tolerance, row->newton, 2 * f->scene->frames.substeps);
    if (contact)
        printf("  %.*s\n    try frames.substeps: %d, or harder contact (pressure)\n",
               contact->length, contact->text, 2 * f->scene->frames.substeps);
    if (say_faults(f, row->frame) == 0 && row->inverted > 0)
        printf("  %lld elements are inverted; there is no " SN_DIAGNOSIS_FILE " that says where\n",
               (long long)row->inverted);
    return missed || contact;
}

static bool is_reached(const findings *f, int frame)
{
    return f->n > 0 && frame <= f->row[f->n - 1].frame;
}

/* The frame after the last one, if it could not be solved. */
static int say_unsolved(const findings *f)
{
    for (size_t i = 0; i < f->faults.count; i++) {
        int frame = f->faults.data[i].frame;
        if (is_reached(f, frame))
            continue;
        printf("frame %d could not be solved; where its steps failed\n", frame);
        say_faults(f, frame);
        return 1;
    }
    return 0;
}

static sn_status say_all(const findings *f)
{
    int bad = 0, last = f->n > 0 ? f->row[f->n - 1].frame : 0;
    for (size_t i = 0; i < f->n; i++)
        bad += say_row(f, &f->row[i]);
    bad += say_unsolved(f);
    if (f->n == 0)
        printf("no frame was reached yet\n");
    else if (last < f->scene->frames.last)
        printf("the last frame that was reached is %d of %d\n", last, f->scene->frames.last);
    if (bad > 0)
        return SN_FAIL(SN_INACCURATE, "%d %s not to be trusted", bad,
                       bad == 1 ? "frame is" : "frames are");
    printf("%zu frames can be trusted\n", f->n);
    return SN_OK;
}

sn_status sn_diagnose(const sn_scene *scene, const char *run_dir)
{
    findings f = {.scene = scene};
    sn_status status = read_all(run_dir, &f);
    if (status == SN_OK)
        status = say_all(&f);
    sn_free(f.row);
    sn_free(f.by_frame);
    sn_vector_free(&f.faults);
    sn_vector_free(&f.remarks);
    sn_whole_file_free(&f.log);
    return status;
}
