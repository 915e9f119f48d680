#include "report/clip.h"
#include "report/clips.h"
#include "report/embed.h"
#include "report/thin.h"

#include "io/frames/surface_write.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const sn_report_frames *frames;
    sn_thin_surface thin;
    int64_t n_points, n_faces; /* of all frames */
    sn_clip clip;
} filming;

/* ---- The first frame ---- */

static sn_status add_fields(filming *f)
{
    sn_frame_fields fields;
    SN_TRY(
        sn_frame_fields_open(f->frames->run_dir, SN_SURFACE_FRAMES, f->frames->frame[0], &fields));
    for (size_t i = 0; i < fields.list.count; i++) {
        const sn_frame_field *field = &fields.list.data[i];
        if (field->of_points && field->rows == f->n_points)
            sn_clip_add_field(&f->clip, field->name, field->units);
    }
    sn_frame_fields_close(&fields);
    return SN_OK;
}

/* Where the triangles of each body begin: the page tells bodies apart by it. */
static void describe_bodies(const filming *f, const sn_surface_frame *frame, FILE *about)
{
    fprintf(about, ",\"fullTriangles\":%lld,\"gridEdge\":", (long long)frame->n_faces);
    sn_embed_number(about, f->thin.edge);
    fputs(",\"bodies\":[", about);
    for (int b = 0; b < frame->n_bodies; b++) {
        fprintf(about, "%s{\"firstTriangle\":%zu,\"name\":", b > 0 ? "," : "",
                f->thin.first_triangle[b]);
        sn_embed_text(about, frame->body[b].name, strlen(frame->body[b].name));
        putc('}', about);
    }
    putc(']', about);
}

/* ---- Every frame ---- */

static float *chosen_values(const filming *f, sn_frame_fields *fields, const char *name,
                            sn_status *status)
{
    const sn_frame_field *field = sn_frame_fields_find(fields, name);
    float *all = NULL;
    if (!field || field->rows != f->n_points || *status != SN_OK)
        return NULL;
    *status = sn_frame_field_sizes(fields, field, &all);
    if (*status != SN_OK)
        return NULL;
    float *chosen = SN_NEW(float, f->thin.n_points + 1);
    for (size_t i = 0; i < f->thin.n_points; i++)
        chosen[i] = all[f->thin.point[i]];
    sn_free(all);
    return chosen;
}

static sn_status put_frame(filming *f, const sn_surface_frame *frame)
{
    sn_frame_fields fields;
    float *value[SN_CLIP_FIELDS] = {NULL};
    SN_TRY(sn_frame_fields_open(f->frames->run_dir, SN_SURFACE_FRAMES, frame->frame, &fields));
    sn_status status = SN_OK;
    for (int i = 0; i < f->clip.n_fields; i++)
        value[i] = chosen_values(f, &fields, f->clip.field[i].name, &status);
    sn_frame_fields_close(&fields);
    double(*point)[3] = SN_NEW(double[3], f->thin.n_points + 1);
    for (size_t i = 0; i < f->thin.n_points; i++)
        memcpy(point[i], frame->point[f->thin.point[i]], sizeof point[i]);
    if (status == SN_OK)
        sn_clip_put_frame(&f->clip, frame->frame, frame->time, (const double(*)[3])point,
                          (const float *const *)value);
    sn_free(point);
    for (int i = 0; i < f->clip.n_fields; i++)
        sn_free(value[i]);
    return status;
}

static sn_status begin(filming *f, const sn_surface_frame *first, FILE *page, FILE *about)
{
    f->n_points = first->n_points;
    f->n_faces = first->n_faces;
    f->thin = sn_thin_surface_of(first, (size_t)f->frames->most_triangles);
    f->clip = sn_clip_begin(page, "surface", f->thin.n_points, 1);
    sn_clip_put_mesh(&f->clip, (const uint32_t(*)[3])f->thin.triangle, f->thin.n_triangles);
    describe_bodies(f, first, about);
    return add_fields(f);
}

static sn_status add_frame(filming *f, int i, FILE *page, FILE *about)
{
    sn_surface_frame frame;
    SN_TRY(sn_surface_frame_read(f->frames->run_dir, f->frames->frame[i], &frame));
    sn_status status = i == 0 ? begin(f, &frame, page, about) : SN_OK;
    if (status == SN_OK && (frame.n_points != f->n_points || frame.n_faces != f->n_faces))
        status = SN_FAIL(SN_BAD_INPUT, "%.300s: frame %d has another mesh than frame %d",
                         f->frames->run_dir, frame.frame, f->frames->frame[0]);
    if (status == SN_OK)
        status = put_frame(f, &frame);
    sn_surface_frame_free(&frame);
    return status;
}

sn_status sn_report_surface(const sn_report_frames *frames, FILE *page, FILE *about)
{
    filming f = {.frames = frames};
    char *bodies = NULL;
    size_t length = 0;
    FILE *more = open_memstream(&bodies, &length);
    if (!more)
        return SN_FAIL(SN_MACHINE, "report: out of memory");
    sn_status status = SN_OK;
    for (int i = 0; i < frames->n_frames && status == SN_OK; i++)
        status = add_frame(&f, i, page, more);
    fclose(more);
    if (status == SN_OK) {
        sn_clip_describe(&f.clip, about);
        fprintf(about, "%s}", bodies);
    }
    free(bodies);
    sn_clip_free(&f.clip);
    sn_thin_surface_free(&f.thin);
    return status;
}
