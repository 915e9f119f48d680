#include "run/frames.h"

#include "base/log.h"
#include "base/timer.h"
#include "io/frames/frames_csv_digests.h"
#include "render/preview.h"
#include "run/checkpoints.h"
#include "run/diagnosis.h"
#include "run/judge.h"
#include "run/manifest.h"
#include "run/stop.h"
#include "shot/output/frames.h"

#include <stdio.h>

enum { PREVIEW_WIDTH = 960, PREVIEW_HEIGHT = 600 };

typedef struct {
    sn_hold *hold;
    sn_shot *shot;
    sn_frame_rows *rows;
    size_t rows_before; /* from before this run was started or gone on with */
    sn_frames_csv csv;
    sn_shot_frames surfaces;
    bool with_preview;
    sn_preview preview;
    sn_stop stop;
    sn_diagnosis diagnosis;
    bool has_moved; /* since the last checkpoint */
    int from;       /* frames are computed again from this one on; 0: none */
    /* Of a scene that changes there: what frames before were, on rank 0. */
    sn_frame_digests earlier;
} run;

static void show_progress(const run *r, const sn_frame_row *row)
{
    int last = r->shot->scene->frames.last;
    double each = sn_timer_elapsed() / (double)(r->rows->count - r->rows_before);
    sn_info("%s", sn_frame_line_of(row, last, each * (last - row->frame)).text);
}

static sn_status draw_preview(const run *r, int frame)
{
    return sn_preview_draw(&r->preview, &r->shot->built.surface,
                           sn_run_file(r->shot->scene, sn_preview_file_of(frame).text).path);
}

static sn_status add_checkpoint(run *r, sn_checkpoint_name *name)
{
    double began = sn_timer_elapsed();
    SN_TRY(sn_hold_check(r->hold));
    SN_TRY(sn_checkpoints_add(r->shot, r->rows, name));
    sn_deadline_checkpoint_took(&r->stop.deadline, sn_timer_elapsed() - began);
    r->has_moved = false;
    return SN_OK;
}

/* A bad frame is named at once, with the place; the run goes on, and sn_run_judge has the last
 * word. */
static void warn_of_contact(const run *r, int frame)
{
    if (sn_contacts_require_resolved(&r->shot->built.contacts) != SN_OK)
        sn_info("frame %d: %s", frame, sn_failure_message());
}

/* Frames of the preroll are solved and not kept, unless that is asked for. */
static bool is_kept(const sn_scene *scene, int frame)
{
    return frame >= scene->frames.first || scene->output.preroll;
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

static const sn_frame_digest *earlier_of(const run *r, int frame)
{
    for (size_t i = 0; i < r->earlier.count; i++)
        if (r->earlier.data[i].frame == frame)
            return &r->earlier.data[i];
    return NULL;
}

/* Between the checkpoint and the change frames must come out as they were. */
static sn_status require_same(const run *r, const sn_frame_row *row)
{
    const sn_frame_digest *earlier = row->frame < r->from ? earlier_of(r, row->frame) : NULL;
    sn_status status = SN_OK;
    if (earlier && earlier->digest != row->digest)
        status = SN_FAIL(SN_BAD_INPUT,
                         "frame %d comes out otherwise than before: what was changed counts before "
                         "frame %d; with --from %d it may",
                         row->frame, r->from, row->frame);
    return sn_agree(r->hold->comm, status);
}

static sn_status keep_frame(run *r, const sn_frame_row *row)
{
    SN_TRY(sn_shot_frames_write(&r->surfaces, row->frame));
    if (r->with_preview)
        SN_TRY(draw_preview(r, row->frame));
    return sn_frames_csv_add(&r->csv, row);
}

/* Only frames that were reached get a row, after their files: a row says that all is there. */
static sn_status finish_frame(run *r)
{
    sn_shot *shot = r->shot;
    sn_frame_row row;
    sn_checkpoint_name name;
    sn_shot_certify(shot, &row);
    SN_TRY(require_finite(shot, &row));
    SN_TRY(require_same(r, &row));
    SN_TRY(sn_hold_check(r->hold));
    if (row.frame == r->from) /* what they go on to would not be what is written now */
        SN_TRY(sn_checkpoints_remove_from(r->hold->comm, shot->scene, row.frame));
    if (is_kept(shot->scene, row.frame))
        SN_TRY(keep_frame(r, &row));
    sn_push(r->rows, row);
    show_progress(r, &row);
    warn_of_contact(r, row.frame);
    if (row.inverted > 0)
        SN_TRY(sn_diagnosis_add(&r->diagnosis, false));
    bool due = sn_checkpoint_is_due(row.frame, shot->scene->checkpoint.every);
    return due ? add_checkpoint(r, &name) : SN_OK;
}

static sn_status stop_here(run *r, const char *reason)
{
    const sn_frame_progress *p = &r->shot->state.progress;
    sn_checkpoint_name name;
    if (r->has_moved || p->way.steps > 0)
        SN_TRY(add_checkpoint(r, &name));
    sn_stop_done(&r->stop);
    bool at_frame = p->whole || (p->substeps == 0 && p->way.steps == 0);
    if (r->rows->count == 0 && at_frame)
        return SN_FAIL(SN_STOPPED, "stopped %s before the first frame; --restart starts it again",
                       reason);
    if (at_frame)
        return SN_FAIL(SN_STOPPED, "stopped %s after frame %d; --restart goes on from there",
                       reason, p->whole ? p->frame : p->frame - 1);
    return SN_FAIL(SN_STOPPED,
                   "stopped %s after substep %d of %d of frame %d%s; --restart goes on from there",
                   reason, p->substeps, r->shot->scene->frames.substeps, p->frame,
                   p->way.steps > 0 ? " and a part of the next" : "");
}

/* The failure stays what it is; where it is goes before it into the log. */
static sn_status fail_frame(run *r)
{
    char failure[1024];
    snprintf(failure, sizeof failure, "%s", sn_failure_message());
    SN_TRY(sn_hold_check(r->hold));
    SN_TRY(sn_diagnosis_add(&r->diagnosis, true));
    return SN_FAIL(SN_INACCURATE, "%s", failure);
}

static sn_status step(run *r, int frame)
{
    sn_stop_reason reason = sn_stop_asked(&r->stop);
    if (reason.text[0])
        return stop_here(r, reason.text);
    sn_status status = sn_shot_step(r->shot, frame);
    if (status == SN_STOPPED)
        return stop_here(r, sn_stop_urgent_reason(&r->stop).text);
    if (status == SN_INACCURATE)
        return fail_frame(r);
    SN_TRY(status);
    r->has_moved = true;
    return r->shot->state.progress.whole ? finish_frame(r) : SN_OK;
}

/* More frames may follow one day, and who restarts a shot that is finished is to be told: so there
 * is one where the scene wants none in between, too. */
static sn_status end_checkpoint(run *r)
{
    sn_checkpoint_name name;
    return r->has_moved ? add_checkpoint(r, &name) : SN_OK;
}

static sn_status go(run *r)
{
    const sn_frame_progress *p = &r->shot->state.progress;
    int last = r->shot->scene->frames.last;
    sn_status status = SN_OK;
    while (status == SN_OK && (p->frame < last || (p->frame == last && !p->whole)))
        status = step(r, p->whole ? p->frame + 1 : p->frame);
    return status == SN_OK ? end_checkpoint(r) : status;
}

/* Those of frames that are kept, in the same room: rows are of all frames in their order. */
static sn_frame_rows kept_rows(const sn_scene *scene, const sn_frame_rows *rows)
{
    sn_frame_rows kept = *rows;
    while (kept.count > 0 && !is_kept(scene, kept.data[0].frame)) {
        kept.data++;
        kept.count--;
    }
    return kept;
}

/* Only a run that came to its end, or to a frame that can't be solved, is judged. */
sn_status sn_run_judge(const sn_scene *scene, const sn_frame_rows *rows, sn_status status)
{
    if (status != SN_OK && status != SN_INACCURATE)
        return status;
    sn_frame_limits limits = {scene->solver.newton.tolerance, SN_MOST_PENETRATED_CELLS};
    const char *failure = status == SN_INACCURATE ? sn_failure_message() : NULL;
    sn_frame_rows kept = kept_rows(scene, rows);
    sn_verdict verdict = sn_judge_frames(kept.data, kept.count, &limits, failure);
    return verdict.status == SN_OK ? SN_OK : SN_FAIL(verdict.status, "%s", verdict.message);
}

static sn_status read_earlier(run *r, const char *table)
{
    int rank;
    MPI_Comm_rank(r->hold->comm, &rank);
    return sn_agree(r->hold->comm, rank == 0 ? sn_frames_csv_digests(table, &r->earlier) : SN_OK);
}

static void close_run(run *r)
{
    sn_vector_free(&r->earlier);
    sn_shot_frames_free(&r->surfaces);
    sn_frames_csv_close(&r->csv);
}

sn_status sn_run_frames(sn_hold *hold, sn_shot *shot, sn_frame_rows *all,
                        const sn_run_options *options)
{
    MPI_Comm comm = hold->comm;
    const sn_scene *scene = shot->scene;
    sn_run_path table = sn_run_file(scene, "frames.csv"), stop_file = sn_run_file(scene, "stop");
    run r = {.hold = hold,
             .shot = shot,
             .rows = all,
             .rows_before = all->count,
             .with_preview = options->preview,
             .diagnosis = sn_diagnosis_of(shot),
             .from = options->from,
             .stop = sn_stop_create(comm, stop_file.path, options->max_hours)};
    sn_frame_rows kept = kept_rows(scene, all), *rows = &kept; /* all that frames.csv has */
    if (options->may_change)
        SN_TRY(read_earlier(&r, table.path));
    SN_TRY(sn_frames_csv_rewrite(comm, table.path, rows->data, rows->count));
    int reached = rows->count > 0 ? rows->data[rows->count - 1].frame : scene->frames.first - 1;
    SN_TRY(sn_diagnosis_begin(comm, scene, reached));
    SN_TRY(sn_frames_csv_open(comm, table.path, true, &r.csv));
    sn_shot_frames_create(shot, scene->output.dir, &r.surfaces);
    r.preview = sn_preview_of(scene, sn_deformed_bounds(&shot->built.surface), PREVIEW_WIDTH,
                              PREVIEW_HEIGHT);
    shot->built.interrupt = (sn_interrupt){sn_stop_is_urgent, &r.stop};
    sn_status status = sn_shot_frames_begin(&r.surfaces);
    if (status == SN_OK)
        status = sn_run_judge(scene, all, go(&r));
    shot->built.interrupt = (sn_interrupt){0};
    sn_diagnosis_free(&r.diagnosis);
    close_run(&r);
    return status;
}
