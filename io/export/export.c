#include "io/export/export.h"

#include "io/frames/frame_set.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

const sn_export_format sn_export_formats[] = {
    {"pc2", "point cache 2, little-endian: positions of all frames", sn_export_pc2, 0},
    {"mdd", "point cache of LightWave, big-endian: times and positions", sn_export_mdd, 0},
    {"obj", "Wavefront meshes, one file a frame", sn_export_obj, 1},
    {"ply", "Stanford meshes, binary, one file a frame", sn_export_ply, 1},
    {"usda", "USD as text: one mesh with time samples", sn_export_usda, 0},
};
const int sn_export_format_count = sizeof sn_export_formats / sizeof sn_export_formats[0];

sn_surface_body_range sn_export_part(const sn_export *what, const sn_surface_frame *frame)
{
    int body = what->body ? sn_surface_frame_find_body(frame, what->body) : -1;
    if (body >= 0)
        return frame->body[body];
    return (sn_surface_body_range){NULL, 0, frame->n_points, 0, frame->n_faces};
}

bool sn_export_has_body(const sn_export *what, const sn_surface_frame *frame, int body)
{
    return !what->body || strcmp(frame->body[body].name, what->body) == 0;
}

bool sn_export_uvs_of_vertices(const sn_surface_frame *frame, const sn_surface_body_range *part,
                               int64_t **uv_of_vertex)
{
    int64_t *of = *uv_of_vertex = SN_NEW(int64_t, part->n_points);
    for (int64_t v = 0; v < part->n_points; v++)
        of[v] = -1;
    int64_t end = frame->first_corner[part->first_face + part->n_faces];
    bool same = true;
    for (int64_t c = frame->first_corner[part->first_face]; c < end && same; c++) {
        int64_t v = frame->corner[c] - part->first_point, uv = frame->uv_corner[c];
        same = of[v] < 0 || of[v] == uv;
        of[v] = uv;
    }
    if (same)
        return true;
    sn_free(of);
    *uv_of_vertex = NULL;
    return false;
}

static sn_status unknown_body(const sn_export *what, const sn_surface_frame *frame)
{
    char names[256] = "";
    for (int b = 0; b < frame->n_bodies; b++) {
        size_t end = strlen(names);
        snprintf(names + end, sizeof names - end, "%s%s", b ? ", " : "", frame->body[b].name);
    }
    return SN_FAIL(SN_BAD_INPUT, "%s: no body is called '%s'; there is %s", what->run_dir,
                   what->body, names);
}

static sn_status read_frame(const sn_export *what, const sn_export_frames *frames, int number,
                            sn_surface_frame *frame)
{
    sn_status status = SN_OK;
    SN_TRY(sn_surface_frame_read(what->run_dir, number, frame));
    if (what->body && sn_surface_frame_find_body(frame, what->body) < 0)
        status = unknown_body(what, frame);
    else if (frames->has_meshes)
        status = sn_meshes_split_frame(&frames->meshes, what->run_dir, frame);
    if (status != SN_OK)
        sn_surface_frame_free(frame);
    return status;
}

/* Those that are asked for. */
static sn_status choose_frames(const sn_export *what, sn_export_frames *frames)
{
    if (frames->n == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no surface frames", what->run_dir);
    int kept = 0, first = frames->frame[0], last = frames->frame[frames->n - 1];
    for (int i = 0; i < frames->n; i++)
        if (sn_frame_set_has(what->frames, frames->frame[i]))
            frames->frame[kept++] = frames->frame[i];
    frames->n = kept;
    if (kept > 0)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: none of its frames, %d to %d, is among those asked for",
                   what->run_dir, first, last);
}

/* A hole between frames is a file that was lost: caches would play too fast there. */
static sn_status check_steps(const sn_export *what, sn_export_frames *frames)
{
    frames->step = 1;
    for (int i = 1; i < frames->n; i++) {
        int step = frames->frame[i] - frames->frame[i - 1];
        if (i == 1 || step < frames->step)
            frames->step = step;
    }
    for (int i = 1; i < frames->n; i++)
        if (frames->frame[i] - frames->frame[i - 1] != frames->step)
            return SN_FAIL(SN_BAD_INPUT,
                           "%s: frame %d is missing: after frame %d comes %d, others are %d apart",
                           what->run_dir, frames->frame[i - 1] + frames->step, frames->frame[i - 1],
                           frames->frame[i], frames->step);
    return SN_OK;
}

/* What the first frame tells of all. */
static sn_status look_at_first(const sn_export *what, sn_export_frames *frames)
{
    sn_surface_frame first;
    SN_TRY(read_frame(what, frames, frames->frame[0], &first));
    frames->n_points = sn_export_part(what, &first).n_points;
    frames->fps = first.fps;
    frames->time = SN_NEW(double, frames->n);
    for (int i = 0; i < frames->n; i++)
        frames->time[i] = first.time + (frames->frame[i] - frames->frame[0]) / first.fps;
    sn_surface_frame_free(&first);
    return SN_OK;
}

sn_status sn_export_frames_open(const sn_export *what, sn_export_frames *frames)
{
    *frames = (sn_export_frames){0};
    SN_TRY(sn_surface_frames_list(what->run_dir, &frames->frame, &frames->n));
    sn_status status = choose_frames(what, frames);
    if (status == SN_OK)
        status = check_steps(what, frames);
    if (status == SN_OK)
        status = sn_meshes_read(what->run_dir, &frames->has_meshes, &frames->meshes);
    if (status == SN_OK)
        status = look_at_first(what, frames);
    if (status != SN_OK)
        sn_export_frames_free(frames);
    return status;
}

void sn_export_frames_free(sn_export_frames *frames)
{
    sn_free(frames->frame);
    sn_free(frames->time);
    sn_meshes_free(&frames->meshes);
    *frames = (sn_export_frames){0};
}

sn_status sn_export_each(const sn_export *what, const sn_export_frames *frames,
                         sn_export_visit *visit, void *context)
{
    sn_status status = SN_OK;
    for (int i = 0; i < frames->n && status == SN_OK; i++) {
        sn_surface_frame frame;
        SN_TRY(read_frame(what, frames, frames->frame[i], &frame));
        if (sn_export_part(what, &frame).n_points == frames->n_points)
            status = visit(what, &frame, i, context);
        else
            status =
                SN_FAIL(SN_BAD_INPUT, "%s: frame %d has another number of points than frame %d",
                        what->run_dir, frames->frame[i], frames->frame[0]);
        sn_surface_frame_free(&frame);
    }
    return status;
}
