#include "shot/checkpoint/trust.h"

#include <math.h>

/* Volumes are cubes of positions, and energies squares of those at most: all of them are finite. */
static const double LARGEST = 1e60;
/* Times are sums of steps. */
static const double CLOCK_TOLERANCE = 1e-6;

static sn_status damaged(const char *path, const char *what)
{
    return SN_FAIL(SN_MACHINE, "%s: is damaged: %s", path, what);
}

static bool is_amount(double value)
{
    return value >= 0 && isfinite(value);
}

/* ---- Nodes ---- */

static bool all_are_small(const double *value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(value[i]) <= LARGEST))
            return false;
    return true;
}

static sn_status check_nodes(const char *path, const sn_shot *shot)
{
    const sn_state *s = &shot->state.nodes;
    size_t n = SN_NODE_REALS * (size_t)shot->model.forest.level[0].n_nodes;
    if (!all_are_small(s->x, n) || !all_are_small(s->x_before, n))
        return damaged(path, "a node is nowhere");
    if (!all_are_small(s->v, n) || !all_are_small(s->v_before, n))
        return damaged(path, "a node has no velocity that can be");
    return SN_OK;
}

/* ---- Progress ---- */

/* A frame that is begun lies behind its start and before its end. */
static bool clock_is_right(const sn_frames *frames, const sn_frame_progress *p, double time)
{
    double end = ((double)p->frame - frames->first) / frames->fps, early = CLOCK_TOLERANCE;
    double start = -frames->preroll / frames->fps;
    if (p->frame < sn_frames_start(frames))
        return time == start;
    if (p->whole)
        return fabs(time - end) <= early;
    return p->from >= start && p->from <= time && time <= end + early;
}

static sn_status check_progress(const char *path, const sn_shot *shot)
{
    const sn_frames *frames = &shot->scene->frames;
    const sn_frame_progress *p = &shot->state.progress;
    if (p->frame < sn_frames_start(frames) - 1 || p->substeps < 0 || p->substeps > frames->substeps)
        return damaged(path, "its frame is none of the scene");
    if (!clock_is_right(frames, p, shot->state.nodes.time) || !isfinite(p->from) ||
        !is_amount(shot->state.nodes.last_step))
        return damaged(path, "its time is not that of its frame");
    if (p->result.iterations < 0 || p->result.inner < 0 || !is_amount(p->seconds) ||
        !is_amount(p->result.residual) || !is_amount(p->result.friction_excess))
        return damaged(path, "what it says of the frame under way cannot be");
    return SN_OK;
}

/* ---- Rows ---- */

static bool row_is_sound(const sn_frame_row *r)
{
    return !sn_frame_row_not_finite(r) && r->newton >= 0 && r->linear >= 0 && r->inverted >= 0;
}

/* One for each frame that is whole. */
static sn_status check_rows(const char *path, const sn_shot *shot, const sn_frame_rows *rows)
{
    const sn_frame_progress *p = &shot->state.progress;
    int64_t first = sn_frames_start(&shot->scene->frames),
            frames = p->frame - first + (p->whole ? 1 : 0);
    if ((int64_t)rows->count != frames)
        return damaged(path, "it has not one row for each of its frames");
    for (size_t i = 0; i < rows->count; i++)
        if (rows->data[i].frame != first + (int64_t)i || !row_is_sound(&rows->data[i]))
            return damaged(path, "a row of its frames cannot be");
    return SN_OK;
}

static sn_status check_all(const char *path, const sn_shot *shot, const sn_frame_rows *rows)
{
    SN_TRY(check_progress(path, shot));
    SN_TRY(check_nodes(path, shot));
    return check_rows(path, shot, rows);
}

sn_status sn_checkpoint_trust(const char *path, const sn_shot *shot, const sn_frame_rows *rows)
{
    return sn_agree(shot->model.forest.level[0].comm, check_all(path, shot, rows));
}
