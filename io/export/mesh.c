/* A mesh file for each frame: OBJ and binary PLY, both with the frames' own doubles. */
#include "base/array.h"
#include "io/export/export.h"
#include "io/text/part_file.h"

#include <inttypes.h>
#include <string.h>

/* ---- A name for each frame ---- */

enum { MOST_DIGITS = 10 };

/* `out/flesh_####.obj` becomes out/flesh_0012.obj; the last row of # counts. */
static sn_status name_frame(const char *pattern, int frame, char **name)
{
    const char *last = strrchr(pattern, '#'), *first = last;
    if (!last)
        return SN_FAIL(SN_BAD_INPUT, "%s: a file a frame needs a # for each digit in its name",
                       pattern);
    while (first > pattern && first[-1] == '#')
        first--;
    size_t bytes = strlen(pattern) + MOST_DIGITS + 1;
    *name = SN_NEW(char, bytes);
    snprintf(*name, bytes, "%.*s%0*d%s", (int)(first - pattern), pattern, (int)(last - first + 1),
             frame, last + 1);
    return SN_OK;
}

typedef void mesh_writer(const sn_export *what, const sn_surface_frame *frame, FILE *out);

static sn_status write_mesh(const sn_export *what, const sn_surface_frame *frame, int index,
                            void *context)
{
    (void)index;
    char *name = NULL;
    sn_part_file file;
    SN_TRY(name_frame(what->output, frame->frame, &name));
    sn_status status = sn_part_file_open(name, &file);
    if (status == SN_OK) {
        mesh_writer *const *writer = context;
        (*writer)(what, frame, file.stream);
        status = sn_part_file_finish(&file, SN_OK);
    }
    sn_free(name);
    return status;
}

static sn_status export_meshes(const sn_export *what, mesh_writer *writer)
{
    sn_export_frames frames;
    SN_TRY(sn_export_frames_open(what, &frames));
    sn_status status = sn_export_each(what, &frames, write_mesh, &writer);
    sn_export_frames_free(&frames);
    return status;
}

/* ---- OBJ ---- */

static void write_obj_faces(const sn_surface_frame *frame, const sn_surface_body_range *body,
                            int64_t first_point, FILE *out)
{
    for (int64_t face = body->first_face; face < body->first_face + body->n_faces; face++) {
        fputc('f', out);
        for (int64_t i = frame->first_corner[face]; i < frame->first_corner[face + 1]; i++)
            fprintf(out, " %" PRId64, frame->corner[i] - first_point + 1);
        fputc('\n', out);
    }
}

/* Bodies are groups: at an `o` some programs begin another mesh, which no cache would fit. */
static void write_obj(const sn_export *what, const sn_surface_frame *frame, FILE *out)
{
    sn_surface_body_range part = sn_export_part(what, frame);
    fprintf(out, "# frame %d, %.17g s, by Sinew " SINEW_VERSION "\n", frame->frame, frame->time);
    for (int64_t i = part.first_point; i < part.first_point + part.n_points; i++)
        fprintf(out, "v %.17g %.17g %.17g\n", frame->point[i][0], frame->point[i][1],
                frame->point[i][2]);
    for (int b = 0; b < frame->n_bodies; b++) {
        const sn_surface_body_range *body = &frame->body[b];
        if (what->body && strcmp(body->name, what->body) != 0)
            continue;
        fprintf(out, "g %s\n", body->name);
        write_obj_faces(frame, body, part.first_point, out);
    }
}

sn_status sn_export_obj(const sn_export *what)
{
    return export_meshes(what, write_obj);
}

/* ---- PLY ---- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie");

/* A face: how many corners, and which. */
static void write_ply_face(const sn_surface_frame *frame, int64_t face, int64_t first_point,
                           FILE *out)
{
    int64_t from = frame->first_corner[face], to = frame->first_corner[face + 1];
    int32_t count = (int32_t)(to - from);
    fwrite(&count, sizeof count, 1, out);
    for (int64_t i = from; i < to; i++) {
        int32_t corner = (int32_t)(frame->corner[i] - first_point);
        fwrite(&corner, sizeof corner, 1, out);
    }
}

static void write_ply(const sn_export *what, const sn_surface_frame *frame, FILE *out)
{
    sn_surface_body_range part = sn_export_part(what, frame);
    fprintf(out,
            "ply\nformat binary_little_endian 1.0\n"
            "comment frame %d, %.17g s, by Sinew " SINEW_VERSION "\n"
            "element vertex %" PRId64 "\nproperty double x\nproperty double y\n"
            "property double z\nelement face %" PRId64
            "\nproperty list int int vertex_indices\nend_header\n",
            frame->frame, frame->time, part.n_points, part.n_faces);
    if (part.n_points > 0)
        fwrite(frame->point + part.first_point, sizeof *frame->point, (size_t)part.n_points, out);
    for (int64_t face = part.first_face; face < part.first_face + part.n_faces; face++)
        write_ply_face(frame, face, part.first_point, out);
}

sn_status sn_export_ply(const sn_export *what)
{
    return export_meshes(what, write_ply);
}
