/* USD's text form: one mesh, whose points have a sample a frame. Times are frame numbers. */
#include "base/array.h"
#include "io/export/export.h"
#include "io/text/part_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

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
            "    metersPerUnit = %.17g\n    upAxis = \"%c\"\n"
            "    startTimeCode = %d\n    endTimeCode = %d\n    timeCodesPerSecond = %.17g\n)\n\n"
            "def Mesh \"%s\"\n{\n    uniform token subdivisionScheme = \"none\"\n",
            prim, what->metres, what->up, frames->frame[0], frames->frame[frames->n - 1],
            frames->fps, prim);
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
    fprintf(s->out, "]\n");
}

/* Indexed, so that seams stay seams; a corner without a place has the first one. */
static void write_uvs(const stage *s, const sn_surface_frame *frame,
                      const sn_surface_body_range *part)
{
    if (!frame->uv || frame->n_uvs == 0)
        return;
    fprintf(s->out, "    texCoord2f[] primvars:st = [");
    for (int64_t i = 0; i < frame->n_uvs; i++)
        fprintf(s->out, "%s(%.9g, %.9g)", i > 0 ? ", " : "", frame->uv[i][0], frame->uv[i][1]);
    fprintf(s->out, "] (\n        interpolation = \"faceVarying\"\n    )\n"
                    "    int[] primvars:st:indices = [");
    int64_t from = frame->first_corner[part->first_face];
    int64_t to = frame->first_corner[part->first_face + part->n_faces];
    for (int64_t c = from; c < to; c++)
        fprintf(s->out, "%s%" PRId64, c > from ? ", " : "",
                frame->uv_corner[c] < 0 ? 0 : frame->uv_corner[c]);
    fprintf(s->out, "]\n");
}

/* Faces by body, where the mesh is of several: for materials and selections. */
static void write_bodies(const sn_export *what, const stage *s, const sn_surface_frame *frame)
{
    char prim[MOST_NAME];
    for (int b = 0; b < frame->n_bodies && !what->body; b++) {
        const sn_surface_body_range *body = &frame->body[b];
        prim_name(body->name, prim);
        fprintf(s->out,
                "    def GeomSubset \"%s\"\n    {\n"
                "        uniform token elementType = \"face\"\n"
                "        uniform token familyName = \"body\"\n        int[] indices = [",
                prim);
        for (int64_t face = 0; face < body->n_faces; face++)
            fprintf(s->out, "%s%" PRId64, face > 0 ? ", " : "", body->first_face + face);
        fprintf(s->out, "]\n    }\n");
    }
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
    if (index == 0) {
        write_faces(s, frame, &part);
        write_uvs(s, frame, &part);
        write_bodies(what, s, frame);
        fprintf(s->out, "    point3f[] points.timeSamples = {\n");
    }
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

/* ---- Bones and colliders ---- */

/* USD multiplies rows with matrices: the shift is in the last row. */
static void write_matrix(FILE *out, const sn_affine *a)
{
    fputc('(', out);
    for (int i = 0; i < 4; i++)
        fprintf(out, "(%.17g, %.17g, %.17g, %d)%s", a->row[0][i], a->row[1][i], a->row[2][i],
                i == 3, i < 3 ? ", " : ")");
}

static void write_poses(const stage *s, const sn_export_prop *prop)
{
    fprintf(s->out, "        matrix4d xformOp:transform.timeSamples = {\n");
    for (int i = 0; i < s->frames->n; i++) {
        sn_affine pose = prop->at(prop->context, s->frames->frame[i]);
        fprintf(s->out, "            %d: ", s->frames->frame[i]);
        write_matrix(s->out, &pose);
        fputs(",\n", s->out);
    }
    fprintf(s->out, "        }\n        uniform token[] xformOpOrder = "
                    "[\"xformOp:transform\"]\n");
}

static void write_prop(const stage *s, const sn_export_prop *prop)
{
    char prim[MOST_NAME];
    const sn_mesh *mesh = prop->mesh;
    prim_name(prop->name, prim);
    fprintf(s->out,
            "    def Mesh \"%s\"\n    {\n"
            "        uniform token subdivisionScheme = \"none\"\n"
            "        int[] faceVertexCounts = [",
            prim);
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        fputs(t > 0 ? ", 3" : "3", s->out);
    fprintf(s->out, "]\n        int[] faceVertexIndices = [");
    for (int64_t t = 0; t < mesh->n_triangles; t++)
        fprintf(s->out, "%s%d, %d, %d", t > 0 ? ", " : "", mesh->triangle[t][0],
                mesh->triangle[t][1], mesh->triangle[t][2]);
    fprintf(s->out, "]\n        point3f[] points = [");
    for (int64_t v = 0; v < mesh->n_vertices; v++) {
        const double *at = mesh->vertex[v];
        fputs(v > 0 ? ", " : "", s->out);
        write_point(s->out, (float[]){(float)at[0], (float)at[1], (float)at[2]});
    }
    fprintf(s->out, "]\n");
    write_poses(s, prop);
    fprintf(s->out, "    }\n");
}

static void write_props(const sn_export *what, const stage *s)
{
    for (size_t i = 0; i < what->n_props; i++) {
        const sn_export_prop *prop = &what->prop[i];
        bool first = i == 0 || strcmp(prop[-1].group, prop->group) != 0;
        bool last = i + 1 == what->n_props || strcmp(prop[1].group, prop->group) != 0;
        if (first)
            fprintf(s->out, "\ndef Xform \"%s\"\n{\n", prop->group);
        write_prop(s, prop);
        if (last)
            fprintf(s->out, "}\n");
    }
}

static sn_status write_stage(const sn_export *what, const sn_export_frames *frames)
{
    sn_part_file file;
    SN_TRY(sn_part_file_open(what->output, &file));
    stage s = {frames, file.stream, SN_NEW(float[2][3], frames->n)};
    write_head(what, &s);
    sn_status status = sn_export_each(what, frames, write_sample, &s);
    write_tail(&s);
    write_props(what, &s);
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
