#include "run/frames.h"

#include "base/log.h"
#include "base/timer.h"
#include "render/preview.h"
#include "run/checkpoints.h"
#include "run/judge.h"
#include "run/stop.h"
#include "shot/output/frames.h"

#include <stdio.h>

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
    int last = r->shot->scene->frames.last;
    double each = sn_timer_elapsed() / (double)(r->rows->count - r->rows_before);
    sn_info("%s", sn_frame_line_of(row, last, each * (last - row->frame)).text);
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
    sn_deadline_checkpoint_took(&r->stop.deadline, sn_timer_elapsed() - began);
    r->has_moved = false;
    return SN_OK;
}

/* A bad frame is named at once, with the place; the run goes on, and judge() has the last word. */
static void warn_of_contact(const run *r, int frame)
{
    if (sn_contacts_require_resolved(&r->shot->built.contacts) != SN_OK)
        sn_info("frame %d: %s", frame, sn_failure_message());
}

/* Nothing is written of a frame that is not made of numbers. */
static sn_status require_finite(const sn_shot *shot, const sn_frame_row *row)
{
    const char *column = sn_frame_row_not_finite(row);
    sn_status status = SN_OK;
    if (column)
        status = SN_FAIL(SN_INACCURATE, "frame %d is not written: its %s is not finite", row->frame,
                         column);
    return sn_agree(shot->model.forest.level[0].comm, status);
}

/* Only frames that were reached get a row, after their files: a row says that all is there. */
static sn_status finish_frame(run *r)
{
    sn_shot *shot = r->shot;
    sn_frame_row row;
    sn_checkpoint_name name;
    sn_shot_certify(shot, &row);
    SN_TRY(require_finite(shot, &row));
    SN_TRY(sn_shot_frames_write(&r->surfaces, row.frame));
    if (r->with_preview)
        SN_TRY(draw_preview(r, row.frame));
    SN_TRY(sn_frames_csv_add(&r->csv, &row));
    sn_push(r->rows, row);
    show_progress(r, &row);
    warn_of_contact(r, row.frame);
    bool due = sn_checkpoint_is_due(row.frame, shot->scene->checkpoint.every);
    return due ? add_checkpoint(r, &name) : SN_OK;
}

static sn_status stop_here(run *r, const char *reason)
{
    const sn_frame_progress *p = &r->shot->state.progress;
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
    return r->shot->state.progress.whole ? finish_frame(r) : SN_OK;
}

static sn_status go(run *r)
{
    const sn_frame_progress *p = &r->shot->state.progress;
    int last = r->shot->scene->frames.last;
    sn_status status = SN_OK;
    while (status == SN_OK && (p->frame < last || (p->frame == last && !p->whole)))
        status = step(r, p->whole ? p->frame + 1 : p->frame);
    return status;
}

/* Only a run that came to its end, or to a frame that can't be solved, is judged. */
static sn_status judge(const sn_scene *scene, const sn_frame_rows *rows, sn_status status)
{
    if (status != SN_OK && status != SN_INACCURATE)
        return status;
    sn_frame_limits limits = {scene->solver.newton.tolerance, SN_MOST_PENETRATED_CELLS};
    const char *failure = status == SN_INACCURATE ? sn_failure_message() : NULL;
    sn_verdict verdict = sn_judge_frames(rows->data, rows->count, &limits, failure);
    return verdict.status == SN_OK ? SN_OK : SN_FAIL(verdict.status, "%s", verdict.message);
}

sn_status sn_run_frames(MPI_Comm comm, sn_shot *shot, sn_frame_rows *rows,
                        const sn_run_options *options)
{
    const sn_scene *scene = shot->scene;
    sn_run_path table = sn_run_file(scene, "frames.csv"), stop_file = sn_run_file(scene, "stop");
    run r = {.shot = shot,
             .rows = rows,
             .rows_before = rows->count,
             .with_preview = options->preview,
             .stop = sn_stop_create(comm, stop_file.path, options->max_hours)};
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
