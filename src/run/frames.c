#include "run/frames.h"

#include "base/log.h"
#include "base/timer.h"
#include "render/preview.h"
#include "run/checkpoints.h"
#include "run/stop.h"
#include "shot/output/frames.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

enum { PREVIEW_WIDTH = 960, PREVIEW_HEIGHT = 600 };

typedef struct {
    sn_shot *shot;
    sn_frame_rows *rows;
    size_t rows_before; /* from before this run was started or gone on with */
    sn_frames_csv csv;
    sn_shot_frames surfaces;
    bool with_preview;
    sn_preview preview;
    sn_stop stop;
    bool has_moved; /* since the last checkpoint */
} run;

static void show_progress(const run *r, const sn_frame_row *row)
{
    const sn_scene *scene = r->shot->scene;
    int left = scene->frames.last - row->frame;
    double done = (double)(r->rows->count - r->rows_before);
    double seconds = sn_timer_elapsed() / done * left;
    sn_info(
        "frame %d of %d: newton %d, linear %d, residual %.2e, volume %.6g%s; %.1f s, %d:%02d left",
        row->frame, scene->frames.last, row->newton, row->linear, row->residual, row->volume,
        row->inverted ? ", inverted elements" : "", row->seconds, (int)seconds / 60,
        (int)seconds % 60);
}

static sn_status draw_preview(const run *r, int frame)
{
    char name[32];
    snprintf(name, sizeof name, "preview_%04d.png", frame);
    return sn_preview_draw(&r->preview, &r->shot->built.surface,
                           sn_run_file(r->shot->scene, name).path);
}

static sn_status add_checkpoint(run *r, sn_checkpoint_name *name)
{
    double began = sn_timer_elapsed();
    SN_TRY(sn_checkpoints_add(r->shot, r->rows, name));
    r->stop.longest_checkpoint = fmax(r->stop.longest_checkpoint, sn_timer_elapsed() - began);
    r->has_moved = false;
    return SN_OK;
}

static bool is_checkpoint_due(const sn_scene *scene, int frame)
{
    int every = scene->checkpoint.every;
    return every > 0 && frame % every == 0;
}

/* A bad frame is named at once, with the place; the run goes on, and judge() has the last word. */
static void warn_of_contact(const run *r, int frame)
{
    if (sn_contacts_require_resolved(&r->shot->built.contacts) != SN_OK)
        sn_info("frame %d: %s", frame, sn_failure_message());
}

/* Only frames that were reached get a row, after their files: a row says that all is there. */
static sn_status finish_frame(run *r)
{
    sn_shot *shot = r->shot;
    sn_frame_row row;
    sn_checkpoint_name name;
    sn_shot_certify(shot, &row);
    SN_TRY(sn_shot_frames_write(&r->surfaces, row.frame));
    if (r->with_preview)
        SN_TRY(draw_preview(r, row.frame));
    SN_TRY(sn_frames_csv_add(&r->csv, &row));
    sn_push(r->rows, row);
    show_progress(r, &row);
    warn_of_contact(r, row.frame);
    return is_checkpoint_due(shot->scene, row.frame) ? add_checkpoint(r, &name) : SN_OK;
}

static sn_status stop_here(run *r, const char *reason)
{
    const sn_frame_progress *p = &r->shot->progress;
    sn_checkpoint_name name;
    if (r->has_moved)
        SN_TRY(add_checkpoint(r, &name));
    sn_stop_done(&r->stop);
    if (r->rows->count == 0 && p->whole)
        return SN_FAIL(SN_STOPPED, "stopped %s before the first frame; --restart starts it again",
                       reason);
    if (p->whole)
        return SN_FAIL(SN_STOPPED, "stopped %s after frame %d; --restart goes on from there",
                       reason, p->frame);
    return SN_FAIL(SN_STOPPED,
                   "stopped %s after substep %d of %d of frame %d; --restart goes on from there",
                   reason, p->substeps, r->shot->scene->frames.substeps, p->frame);
}

static sn_status step(run *r, int frame)
{
    sn_stop_reason reason = sn_stop_asked(&r->stop);
    if (reason.text[0])
        return stop_here(r, reason.text);
    SN_TRY(sn_shot_step(r->shot, frame));
    r->has_moved = true;
    return r->shot->progress.whole ? finish_frame(r) : SN_OK;
}

static sn_status go(run *r)
{
    const sn_frame_progress *p = &r->shot->progress;
    int last = r->shot->scene->frames.last;
    sn_status status = SN_OK;
    while (status == SN_OK && (p->frame < last || (p->frame == last && !p->whole)))
        status = step(r, p->whole ? p->frame + 1 : p->frame);
    return status;
}

static void add_text(char **end, size_t *left, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(*end, *left, format, arguments);
    va_end(arguments);
    size_t fits = written < 0 ? 0 : (size_t)written < *left ? (size_t)written : *left - 1;
    *end += fits;
    *left -= fits;
}

/* How many rows have more than `most` of something, and the first of them. */
static int count_missed(const sn_frame_rows *rows, size_t offset, double most,
                        const sn_frame_row **first)
{
    int missed = 0;
    for (size_t i = 0; i < rows->count; i++) {
        double value;
        memcpy(&value, (const char *)&rows->data[i] + offset, sizeof value);
        if (value > most && missed++ == 0)
            *first = &rows->data[i];
    }
    return missed;
}

/* The one message at the end names the first frames that went wrong. */
static sn_status judge(const sn_scene *scene, const sn_frame_rows *rows, sn_status status)
{
    if (status != SN_OK && status != SN_INACCURATE)
        return status;
    char message[1024] = "", *end = message;
    size_t left = sizeof message;
    const sn_frame_row *first = NULL;
    double tolerance = scene->solver.newton.tolerance;
    int missed = count_missed(rows, offsetof(sn_frame_row, residual), tolerance, &first);
    if (missed)
        add_text(&end, &left,
                 "%d frames missed the tolerance of %g, the first is frame %d with a residual of "
                 "%g; ",
                 missed, tolerance, first->frame, first->residual);
    double deep = SN_MOST_PENETRATED_CELLS;
    missed = count_missed(rows, offsetof(sn_frame_row, penetrated_cells), deep, &first);
    if (missed)
        add_text(&end, &left,
                 "%d frames have contact that is not resolved, deeper than %g finest cells, the "
                 "first is frame %d with a depth of %g; ",
                 missed, deep, first->frame, first->max_penetration);
    if (status == SN_INACCURATE)
        add_text(&end, &left, "%s; ", sn_failure_message());
    if (end == message)
        return SN_OK;
    end[-2] = 0; /* without the last separator */
    return SN_FAIL(SN_INACCURATE, "%s", message);
}

sn_status sn_run_frames(MPI_Comm comm, sn_shot *shot, sn_frame_rows *rows, sn_run_options options)
{
    const sn_scene *scene = shot->scene;
    sn_run_path table = sn_run_file(scene, "frames.csv"), stop_file = sn_run_file(scene, "stop");
    run r = {.shot = shot,
             .rows = rows,
             .rows_before = rows->count,
             .with_preview = options.preview,
             .stop = sn_stop_create(comm, stop_file.path, options.max_hours)};
    SN_TRY(sn_frames_csv_rewrite(comm, table.path, rows->data, rows->count));
    SN_TRY(sn_frames_csv_open(comm, table.path, true, &r.csv));
    sn_shot_frames_create(shot, scene->output.dir, &r.surfaces);
    r.preview = sn_preview_of(scene, sn_deformed_bounds(&shot->built.surface), PREVIEW_WIDTH,
                              PREVIEW_HEIGHT);
    sn_status status = judge(scene, rows, go(&r));
    sn_shot_frames_free(&r.surfaces);
    sn_frames_csv_close(&r.csv);
    return status;
}
