#include "io/frames/surface_write.h"

#include "base/array.h"
#include "base/timer.h"
#include "io/frames/files.h"
#include "io/frames/meshes.h"

#include <string.h>

enum { VTK_TRIANGLE = 5, PATH_BYTES = 4096, CORNERS = 3 };

/* The rows of the frame's arrays: where each body's start, and how many there are. */
typedef struct {
    const sn_surface_source *source;
    int64_t *first_point, *first_face; /* bodies + 1 */
    int64_t n_points, n_faces;
} surface_rows;

static surface_rows count_rows(const sn_surface_source *source)
{
    int n = source->n_bodies;
    surface_rows rows = {source, SN_NEW(int64_t, n + 1), SN_NEW(int64_t, n + 1), 0, 0};
    rows.first_point[0] = rows.first_face[0] = 0;
    for (int b = 0; b < n; b++) {
        rows.first_point[b + 1] = rows.first_point[b] + source->body[b].mesh->n_vertices;
        rows.first_face[b + 1] = rows.first_face[b] + source->body[b].mesh->n_triangles;
    }
    rows.n_points = rows.first_point[n];
    rows.n_faces = rows.first_face[n];
    return rows;
}

static void free_rows(surface_rows *rows)
{
    sn_free(rows->first_point);
    sn_free(rows->first_face);
}

/* ---- Faces ---- */

static int body_of_face(const surface_rows *rows, int64_t face)
{
    int body = 0;
    while (face >= rows->first_face[body + 1])
        body++;
    return body;
}

static void write_corners(sn_h5_file *file, const surface_rows *rows)
{
    /* In slabs of corners: one may start and end within a face. */
    sn_slab slab = sn_h5_slab(file->comm, CORNERS * rows->n_faces);
    int64_t *corner = SN_NEW(int64_t, slab.n);
    int body = slab.n > 0 ? body_of_face(rows, slab.first / CORNERS) : 0;
    for (int64_t i = 0; i < slab.n; i++) {
        int64_t at = slab.first + i, face = at / CORNERS;
        while (face >= rows->first_face[body + 1])
            body++;
        const sn_mesh *mesh = rows->source->body[body].mesh;
        corner[i] =
            rows->first_point[body] + mesh->triangle[face - rows->first_face[body]][at % CORNERS];
    }
    sn_h5_array(file, "/VTKHDF/Connectivity", H5T_NATIVE_INT64, CORNERS * rows->n_faces, 0, slab,
                corner);
    sn_free(corner);
}

static void write_offsets(sn_h5_file *file, const surface_rows *rows)
{
    sn_slab slab = sn_h5_slab(file->comm, rows->n_faces + 1);
    int64_t *offset = SN_NEW(int64_t, slab.n);
    for (int64_t i = 0; i < slab.n; i++)
        offset[i] = CORNERS * (slab.first + i);
    sn_h5_array(file, "/VTKHDF/Offsets", H5T_NATIVE_INT64, rows->n_faces + 1, 0, slab, offset);
    sn_free(offset);
}

static void write_types_and_bodies(sn_h5_file *file, const surface_rows *rows)
{
    sn_slab slab = sn_h5_slab(file->comm, rows->n_faces);
    uint8_t *type = SN_NEW(uint8_t, slab.n);
    int32_t *body = SN_NEW(int32_t, slab.n);
    int at = slab.n > 0 ? body_of_face(rows, slab.first) : 0;
    for (int64_t i = 0; i < slab.n; i++) {
        while (slab.first + i >= rows->first_face[at + 1])
            at++;
        type[i] = VTK_TRIANGLE;
        body[i] = at;
    }
    sn_h5_array(file, "/VTKHDF/Types", H5T_NATIVE_UINT8, rows->n_faces, 0, slab, type);
    sn_h5_array(file, "/VTKHDF/CellData/body", H5T_NATIVE_INT32, rows->n_faces, 0, slab, body);
    sn_free(type);
    sn_free(body);
}

/* ---- What the rest means ---- */

static void write_bodies(sn_h5_file *file, const surface_rows *rows)
{
    int64_t ends = rows->source->n_bodies + 1;
    sn_meshes_write_names(file, rows->source);
    sn_h5_table(file, "/sinew/first_point", H5T_NATIVE_INT64, ends, rows->first_point);
    sn_h5_table(file, "/sinew/first_face", H5T_NATIVE_INT64, ends, rows->first_face);
    sn_meshes_write_split(file, rows->source);
}

/* What one frame has of its own. */
typedef struct {
    int number;
    const double (*position)[3];
    const sn_frame_array *fields;
    int n_fields;
} surface_frame;

static void write_points(sn_h5_file *file, const surface_rows *rows, const surface_frame *frame)
{
    const sn_surface_source *s = rows->source;
    sn_scattered_rows vertices = {rows->n_points, 1, s->n, s->vertex};
    sn_h5_scattered(file, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, 3, &vertices, frame->position);
    for (int i = 0; i < frame->n_fields; i++)
        sn_vtkhdf_array(file, "PointData", &frame->fields[i], &vertices);
}

static void write_arrays(sn_h5_file *file, const surface_rows *rows, const surface_frame *frame)
{
    const sn_surface_source *s = rows->source;
    sn_frame_about about = {frame->number, sn_surface_time(s, frame->number), s->fps, s->scene};
    sn_vtkhdf_head(file, rows->n_points, rows->n_faces, CORNERS * rows->n_faces);
    sn_vtkhdf_about(file, &about);
    write_bodies(file, rows);
    write_points(file, rows, frame);
    write_corners(file, rows);
    write_offsets(file, rows);
    write_types_and_bodies(file, rows);
}

static int64_t raw_bytes(const surface_rows *rows, const surface_frame *frame)
{
    int64_t a_face = (CORNERS + 1) * (int64_t)sizeof(int64_t) + (int64_t)sizeof(int32_t) + 1;
    return rows->n_points * (int64_t)sizeof(double[3]) + rows->n_faces * a_face +
           sn_frame_arrays_bytes(frame->fields, frame->n_fields, rows->n_points) +
           (int64_t)strlen(rows->source->scene);
}

static sn_status write_frame(const surface_rows *rows, const surface_frame *frame)
{
    char path[PATH_BYTES];
    sn_h5_file file;
    snprintf(path, sizeof path, "%s/%s", rows->source->run_dir,
             sn_frame_file_of(SN_SURFACE_FRAMES, frame->number).text);
    SN_TRY(sn_h5_create(rows->source->comm, path, raw_bytes(rows, frame), &file));
    write_arrays(&file, rows, frame);
    return sn_h5_finish(&file);
}

sn_status sn_surface_write(const sn_surface_source *source, int frame, const double (*position)[3],
                           const sn_frame_array *fields, int n_fields)
{
    sn_phase_begin("io/surface");
    surface_rows rows = count_rows(source);
    surface_frame one = {frame, position, fields, n_fields};
    sn_status status = write_frame(&rows, &one);
    free_rows(&rows);
    sn_phase_end("io/surface");
    return status;
}
