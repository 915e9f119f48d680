/* USD's text form: one mesh, whose points have a sample a frame. Times are frame numbers. */
#include "base/array.h"
#include "io/export/export.h"
#include "io/text/part_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

enum { MOST_NAME = 128 };

typedef struct {
    const sn_export_frames *frames;
    FILE *out;
    float (*extent)[2][3]; /* of each frame: lowest and highest */
} stage;

/* Letters, digits and underscores, not a digit first: all that a prim may be called. */
static void prim_name(const char *name, char prim[MOST_NAME])
{
    size_t n = 0;
    if (isdigit((unsigned char)name[0]))
        prim[n++] = '_';
    for (; *name && n < MOST_NAME - 1; name++)
        prim[n++] = (char)(isalnum((unsigned char)*name) ? *name : '_');
    prim[n] = '\0';
}

static void write_head(const sn_export *what, const stage *s)
{
    char prim[MOST_NAME];
    const sn_export_frames *frames = s->frames;
    prim_name(what->body ? what->body : "surface", prim);
    fprintf(s->out,
            "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    doc = \"by Sinew " SINEW_VERSION "\"\n"
            "    startTimeCode = %d\n    endTimeCode = %d\n    timeCodesPerSecond = %.17g\n)\n\n"
            "def Mesh \"%s\"\n{\n    uniform token subdivisionScheme = \"none\"\n",
            prim, frames->frame[0], frames->frame[frames->n - 1], frames->fps, prim);
}

static void write_faces(const stage *s, const sn_surface_frame *frame,
                        const sn_surface_body_range *part)
{
    int64_t last = part->first_face + part->n_faces;
    fprintf(s->out, "    int[] faceVertexCounts = [");
    for (int64_t face = part->first_face; face < last; face++)
        fprintf(s->out, "%s%" PRId64, face > part->first_face ? ", " : "",
                frame->first_corner[face + 1] - frame->first_corner[face]);
    fprintf(s->out, "]\n    int[] faceVertexIndices = [");
    int64_t from = frame->first_corner[part->first_face], to = frame->first_corner[last];
    for (int64_t i = from; i < to; i++)
        fprintf(s->out, "%s%" PRId64, i > from ? ", " : "", frame->corner[i] - part->first_point);
    fprintf(s->out, "]\n    point3f[] points.timeSamples = {\n");
}

static void widen(float extent[2][3], const float at[3])
{
    for (int d = 0; d < 3; d++) {
        extent[0][d] = fminf(extent[0][d], at[d]);
        extent[1][d] = fmaxf(extent[1][d], at[d]);
    }
}

static void write_point(FILE *out, const float at[3])
{
    fprintf(out, "(%.9g, %.9g, %.9g)", (double)at[0], (double)at[1], (double)at[2]);
}

static sn_status write_sample(const sn_export *what, const sn_surface_frame *frame, int index,
                              void *context)
{
    stage *s = context;
    sn_surface_body_range part = sn_export_part(what, frame);
    if (index == 0)
        write_faces(s, frame, &part);
    for (int d = 0; d < 3; d++) {
        s->extent[index][0][d] = INFINITY;
        s->extent[index][1][d] = -INFINITY;
    }
    fprintf(s->out, "        %d: [", frame->frame);
    for (int64_t i = 0; i < part.n_points; i++) {
        const double *point = frame->point[part.first_point + i];
        float at[3] = {(float)point[0], (float)point[1], (float)point[2]};
        widen(s->extent[index], at);
        fputs(i > 0 ? ", " : "", s->out);
        write_point(s->out, at);
    }
    fputs("],\n", s->out);
    return ferror(s->out) ? sn_part_file_failed(what->output) : SN_OK;
}

static void write_tail(const stage *s)
{
    fprintf(s->out, "    }\n    float3[] extent.timeSamples = {\n");
    for (int i = 0; i < s->frames->n; i++) {
        fprintf(s->out, "        %d: [", s->frames->frame[i]);
        write_point(s->out, s->extent[i][0]);
        fputs(", ", s->out);
        write_point(s->out, s->extent[i][1]);
        fputs("],\n", s->out);
    }
    fprintf(s->out, "    }\n}\n");
}

static sn_status write_stage(const sn_export *what, const sn_export_frames *frames)
{
    sn_part_file file;
    SN_TRY(sn_part_file_open(what->output, &file));
    stage s = {frames, file.stream, SN_NEW(float[2][3], frames->n)};
    write_head(what, &s);
    sn_status status = sn_export_each(what, frames, write_sample, &s);
    write_tail(&s);
    sn_free(s.extent);
    return sn_part_file_finish(&file, status);
}

sn_status sn_export_usda(const sn_export *what)
{
    sn_export_frames frames;
    SN_TRY(sn_export_frames_open(what, &frames));
    sn_status status = write_stage(what, &frames);
    sn_export_frames_free(&frames);
    return status;
}
