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

/* A corner is vertex/uv, or the vertex alone where it has no place in the texture. */
static void write_obj_corner(const sn_surface_frame *frame, int64_t corner, int64_t first_point,
                             FILE *out)
{
    fprintf(out, " %" PRId64, frame->corner[corner] - first_point + 1);
    if (frame->uv_corner && frame->uv_corner[corner] >= 0)
        fprintf(out, "/%" PRId64, frame->uv_corner[corner] + 1);
}

static void write_obj_faces(const sn_surface_frame *frame, const sn_surface_body_range *body,
                            int64_t first_point, FILE *out)
{
    for (int64_t face = body->first_face; face < body->first_face + body->n_faces; face++) {
        fputc('f', out);
        for (int64_t c = frame->first_corner[face]; c < frame->first_corner[face + 1]; c++)
            write_obj_corner(frame, c, first_point, out);
        fputc('\n', out);
    }
}

/* All of them, so that the numbers stay. */
static void write_obj_uvs(const sn_surface_frame *frame, FILE *out)
{
    for (int64_t i = 0; frame->uv && i < frame->n_uvs; i++)
        fprintf(out, "vt %.17g %.17g\n", frame->uv[i][0], frame->uv[i][1]);
}

/* Bodies are groups: at an `o` some programs begin another mesh, which no cache would fit. */
static void write_obj(const sn_export *what, const sn_surface_frame *frame, FILE *out)
{
    sn_surface_body_range part = sn_export_part(what, frame);
    fprintf(out, "# frame %d, %.17g s, by Sinew " SINEW_VERSION "\n", frame->frame, frame->time);
    for (int64_t i = part.first_point; i < part.first_point + part.n_points; i++)
        fprintf(out, "v %.17g %.17g %.17g\n", frame->point[i][0], frame->point[i][1],
                frame->point[i][2]);
    write_obj_uvs(frame, out);
    for (int b = 0; b < frame->n_bodies; b++) {
        if (!sn_export_has_body(what, frame, b))
            continue;
        fprintf(out, "g %s\n", frame->body[b].name);
        write_obj_faces(frame, &frame->body[b], part.first_point, out);
    }
}

sn_status sn_export_obj(const sn_export *what)
{
    return export_meshes(what, write_obj);
}

/* ---- PLY ---- */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they lie");

/* Where places in the texture are one for a vertex they are its s and t; otherwise each face has a
 * list of them, as MeshLab writes it, so that no vertex has to be split. */
typedef struct {
    const sn_export *what;
    const sn_surface_frame *frame;
    sn_surface_body_range part;
    int64_t *uv_of_vertex; /* NULL: not one for a vertex */
    FILE *out;
} ply;

static bool has_face_uvs(const ply *p)
{
    return p->frame->uv && !p->uv_of_vertex;
}

/* Bodies are named in comments, and faces have their numbers. */
static void write_ply_header(const ply *p)
{
    const sn_surface_frame *frame = p->frame;
    fprintf(p->out,
            "ply\nformat binary_little_endian 1.0\n"
            "comment frame %d, %.17g s, by Sinew " SINEW_VERSION "\n",
            frame->frame, frame->time);
    for (int b = 0; b < frame->n_bodies; b++)
        if (sn_export_has_body(p->what, frame, b))
            fprintf(p->out, "comment body %d is %s\n", b, frame->body[b].name);
    fprintf(p->out,
            "element vertex %" PRId64 "\nproperty double x\nproperty double y\n"
            "property double z\n%selement face %" PRId64
            "\nproperty list int int vertex_indices\n%sproperty int body\nend_header\n",
            p->part.n_points, p->uv_of_vertex ? "property float s\nproperty float t\n" : "",
            p->part.n_faces, has_face_uvs(p) ? "property list uchar float texcoord\n" : "");
}

static void write_ply_uv(const ply *p, int64_t uv)
{
    float st[2] = {0};
    for (int d = 0; d < 2 && uv >= 0; d++)
        st[d] = (float)p->frame->uv[uv][d];
    fwrite(st, sizeof st, 1, p->out);
}

static void write_ply_vertices(const ply *p)
{
    for (int64_t v = 0; v < p->part.n_points; v++) {
        fwrite(p->frame->point[p->part.first_point + v], sizeof *p->frame->point, 1, p->out);
        if (p->uv_of_vertex)
            write_ply_uv(p, p->uv_of_vertex[v]);
    }
}

/* The length of the list is a byte: an n-gon with more corners has no places. */
static void write_ply_face_uvs(const ply *p, int64_t from, int64_t to)
{
    uint8_t length = 2 * (to - from) <= UINT8_MAX ? (uint8_t)(2 * (to - from)) : 0;
    fwrite(&length, sizeof length, 1, p->out);
    for (int64_t c = from; c < to && length > 0; c++)
        write_ply_uv(p, p->frame->uv_corner[c]);
}

/* A face: how many corners, which, and where they are in the texture. */
static void write_ply_face(const ply *p, int64_t face, int32_t body)
{
    int64_t from = p->frame->first_corner[face], to = p->frame->first_corner[face + 1];
    int32_t count = (int32_t)(to - from);
    fwrite(&count, sizeof count, 1, p->out);
    for (int64_t i = from; i < to; i++) {
        int32_t corner = (int32_t)(p->frame->corner[i] - p->part.first_point);
        fwrite(&corner, sizeof corner, 1, p->out);
    }
    if (has_face_uvs(p))
        write_ply_face_uvs(p, from, to);
    fwrite(&body, sizeof body, 1, p->out);
}

static void write_ply_faces(const ply *p)
{
    for (int b = 0; b < p->frame->n_bodies; b++) {
        const sn_surface_body_range *body = &p->frame->body[b];
        for (int64_t i = 0; i < body->n_faces && sn_export_has_body(p->what, p->frame, b); i++)
            write_ply_face(p, body->first_face + i, b);
    }
}

static void write_ply(const sn_export *what, const sn_surface_frame *frame, FILE *out)
{
    ply p = {what, frame, sn_export_part(what, frame), NULL, out};
    if (frame->uv)
        (void)sn_export_uvs_of_vertices(frame, &p.part, &p.uv_of_vertex);
    write_ply_header(&p);
    write_ply_vertices(&p);
    write_ply_faces(&p);
    sn_free(p.uv_of_vertex);
}

sn_status sn_export_ply(const sn_export *what)
{
    return export_meshes(what, write_ply);
}
