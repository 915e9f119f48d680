#include "report/clip.h"
#include "report/clips.h"

#include "io/frames/files.h"
#include "io/frames/octree_read.h"
#include "io/text/whole_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 3, SIDES = 4 };

/* A cell that the plane cuts: which, and at which part of its height. */
typedef struct {
    int64_t cell;
    double at;
} cut_cell;

typedef struct {
    int axis;
    SN_VECTOR(cut_cell) cells;
    SN_VECTOR(float) edges; /* of these cells, at rest */
    sn_clip clip;
} slice;

typedef struct {
    const sn_report_frames *frames;
    int64_t n_points, n_cells;
    slice slice[AXES];
    bool begun;
} filming;

/* ---- Which cells ---- */

/* Points at rest: those of a frame less its displacement, if it has any. */
static sn_status at_rest(const filming *f, int number, const sn_octree_frame *frame,
                         float (**rest)[3])
{
    sn_frame_fields fields;
    float *moved = NULL;
    *rest = SN_NEW(float[3], frame->n_points + 1);
    memcpy(*rest, frame->point, (size_t)frame->n_points * sizeof **rest);
    SN_TRY(sn_frame_fields_open(f->frames->run_dir, SN_OCTREE_FRAMES, number, &fields));
    const sn_frame_field *field = sn_frame_fields_find(&fields, "displacement");
    sn_status status = SN_OK;
    if (field && field->columns == 3 && field->rows == frame->n_points)
        status = sn_frame_field_read(&fields, field, &moved);
    for (int64_t i = 0; i < frame->n_points && moved; i++)
        for (int d = 0; d < 3; d++)
            (*rest)[i][d] -= moved[3 * i + d];
    sn_free(moved);
    sn_frame_fields_close(&fields);
    return status;
}

static double middle_of(const sn_octree_frame *frame, const float (*rest)[3], int axis)
{
    float low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < frame->n_points; i++) {
        low = fminf(low, rest[i][axis]);
        high = fmaxf(high, rest[i][axis]);
    }
    return ((double)low + (double)high) / 2;
}

/* Planes between cells belong to the upper one. */
static void choose_cells(slice *s, const sn_octree_frame *frame, const float (*rest)[3])
{
    double middle = middle_of(frame, rest, s->axis);
    for (int64_t i = 0; i < frame->n_cells; i++) {
        double low = (double)rest[frame->corner[i][0]][s->axis];
        double high = (double)rest[frame->corner[i][SN_VTK_CORNER[7]]][s->axis];
        if (!(low <= middle && middle < high))
            continue;
        cut_cell cut = {i, (middle - low) / (high - low)};
        sn_push(&s->cells, cut);
        sn_push(&s->edges, (float)(high - low));
    }
}

/* ---- The first frame ---- */

static const char *const IDS[AXES] = {"slice-x", "slice-y", "slice-z"};

static void put_squares(slice *s)
{
    size_t n = s->cells.count;
    uint32_t(*triangle)[3] = SN_NEW(uint32_t[3], 2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        uint32_t first = (uint32_t)(SIDES * i);
        uint32_t two[2][3] = {{first, first + 1, first + 2}, {first, first + 2, first + 3}};
        memcpy(triangle + 2 * i, two, sizeof two);
    }
    sn_clip_put_mesh(&s->clip, (const uint32_t(*)[3])triangle, 2 * n);
    sn_free(triangle);
}

static sn_status add_fields(filming *f, int number)
{
    sn_frame_fields fields;
    SN_TRY(sn_frame_fields_open(f->frames->run_dir, SN_OCTREE_FRAMES, number, &fields));
    for (int a = 0; a < AXES; a++) {
        sn_clip_add_field(&f->slice[a].clip, "cell_size", "length");
        for (size_t i = 0; i < fields.list.count; i++) {
            const sn_frame_field *field = &fields.list.data[i];
            if (!field->of_points && field->rows == f->n_cells)
                sn_clip_add_field(&f->slice[a].clip, field->name, field->units);
        }
    }
    sn_frame_fields_close(&fields);
    return SN_OK;
}

static sn_status begin(filming *f, int number, const sn_octree_frame *frame, FILE *page)
{
    float(*rest)[3] = NULL;
    f->begun = true;
    f->n_points = frame->n_points;
    f->n_cells = frame->n_cells;
    sn_status status = at_rest(f, number, frame, &rest);
    for (int a = 0; a < AXES && status == SN_OK; a++) {
        slice *s = &f->slice[a];
        s->axis = a;
        choose_cells(s, frame, (const float(*)[3])rest);
        s->clip = sn_clip_begin(page, IDS[a], SIDES * s->cells.count, SIDES);
        put_squares(s);
    }
    sn_free(rest);
    return status == SN_OK ? add_fields(f, number) : status;
}

/* ---- Every frame ---- */

/* Where the plane goes through the cell's edges along the axis, one after another around it. */
static void square_of(const sn_octree_frame *frame, const cut_cell *cut, int axis,
                      double square[SIDES][3])
{
    int across = 1 << (axis + 1) % 3, along = 1 << (axis + 2) % 3;
    int side[SIDES] = {0, across, across | along, along};
    for (int i = 0; i < SIDES; i++) {
        const float *low = frame->point[frame->corner[cut->cell][SN_VTK_CORNER[side[i]]]];
        const float *high =
            frame->point[frame->corner[cut->cell][SN_VTK_CORNER[side[i] | 1 << axis]]];
        for (int d = 0; d < 3; d++)
            square[i][d] = (1 - cut->at) * (double)low[d] + cut->at * (double)high[d];
    }
}

static float *chosen_values(const filming *f, const slice *s, sn_frame_fields *fields,
                            const char *name, sn_status *status)
{
    const sn_frame_field *field = sn_frame_fields_find(fields, name);
    float *all = NULL;
    if (!field || field->of_points || field->rows != f->n_cells || *status != SN_OK)
        return NULL;
    *status = sn_frame_field_sizes(fields, field, &all);
    float *chosen = *status == SN_OK ? SN_NEW(float, s->cells.count + 1) : NULL;
    for (size_t i = 0; i < s->cells.count && chosen; i++)
        chosen[i] = all[s->cells.data[i].cell];
    sn_free(all);
    return chosen;
}

static sn_status put_slice(const filming *f, slice *s, int number, double time,
                           const sn_octree_frame *frame, sn_frame_fields *fields)
{
    float *value[SN_CLIP_FIELDS] = {NULL};
    sn_status status = SN_OK;
    for (int i = 1; i < s->clip.n_fields; i++)
        value[i] = chosen_values(f, s, fields, s->clip.field[i].name, &status);
    value[0] = s->edges.data;
    double(*point)[3] = SN_NEW(double[3], SIDES * s->cells.count + 1);
    for (size_t i = 0; i < s->cells.count; i++)
        square_of(frame, &s->cells.data[i], s->axis, point + SIDES * i);
    if (status == SN_OK)
        sn_clip_put_frame(&s->clip, number, time, (const double(*)[3])point,
                          (const float *const *)value);
    sn_free(point);
    for (int i = 1; i < s->clip.n_fields; i++)
        sn_free(value[i]);
    return status;
}

static sn_status put_slices(filming *f, int number, const sn_octree_frame *frame)
{
    sn_frame_fields fields;
    double time = 0;
    SN_TRY(sn_frame_fields_open(f->frames->run_dir, SN_OCTREE_FRAMES, number, &fields));
    sn_status status =
        sn_h5_read_attribute(&fields.source, "/sinew", "time", H5T_NATIVE_DOUBLE, 1, &time);
    for (int a = 0; a < AXES && status == SN_OK; a++)
        status = put_slice(f, &f->slice[a], number, time, frame, &fields);
    sn_frame_fields_close(&fields);
    return status;
}

static sn_status add_frame(filming *f, int number, FILE *page)
{
    sn_octree_frame frame;
    SN_TRY(sn_octree_frame_read(f->frames->run_dir, number, &frame));
    sn_status status = f->begun ? SN_OK : begin(f, number, &frame, page);
    if (status == SN_OK && (frame.n_cells != f->n_cells || frame.n_points != f->n_points))
        status = SN_FAIL(SN_BAD_INPUT, "%.300s: octree frame %d has other cells than those before",
                         f->frames->run_dir, number);
    if (status == SN_OK)
        status = put_slices(f, number, &frame);
    sn_octree_frame_free(&frame);
    return status;
}

/* Is the frame among those that have cells? Both lists ascend. */
static bool has_cells(const int *with_cells, int n, int frame)
{
    for (int i = 0; i < n; i++)
        if (with_cells[i] == frame)
            return true;
    return false;
}

static void describe(const filming *f, FILE *about)
{
    const char *between = "";
    for (int a = 0; a < AXES && f->begun; a++) {
        if (f->slice[a].cells.count == 0)
            continue;
        fputs(between, about);
        sn_clip_describe(&f->slice[a].clip, about);
        fputs("}", about);
        between = ",";
    }
}

sn_status sn_report_slices(const sn_report_frames *frames, FILE *page, FILE *about)
{
    filming f = {.frames = frames};
    int *with_cells = NULL, n = 0;
    SN_TRY(sn_frame_files_list(frames->run_dir, SN_OCTREE_FRAMES, &with_cells, &n));
    sn_status status = SN_OK;
    for (int i = 0; i < frames->n_frames && status == SN_OK; i++)
        if (has_cells(with_cells, n, frames->frame[i]))
            status = add_frame(&f, frames->frame[i], page);
    if (status == SN_OK)
        describe(&f, about);
    sn_free(with_cells);
    for (int a = 0; a < AXES; a++) {
        sn_vector_free(&f.slice[a].cells);
        sn_vector_free(&f.slice[a].edges);
        sn_clip_free(&f.slice[a].clip);
    }
    return status;
}
