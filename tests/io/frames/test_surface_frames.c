/* Frames of the surface: scattered vertices come back in order, bit for bit and whatever ranks
 * had them; half files are never seen, and what can't be written or read says so. */
#include "base/array.h"
#include "base/digest.h"
#include "helpers/check.h"
#include "io/frames/files.h"
#include "io/frames/series.h"
#include "io/frames/surface_read.h"
#include "io/frames/surface_write.h"
#include "io/hdf5/read.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int rank, size;
static char folder[64];
static char long_scene[200001]; /* far more than the header of an HDF5 object holds */

/* Two bodies, larger than a chunk and small: a strip of triangles each. */
enum { N_BODIES = 2 };
static const int64_t VERTICES[N_BODIES] = {40001, 5};

static sn_mesh strip(int64_t n)
{
    sn_mesh mesh = {.n_vertices = n, .n_triangles = n - 2};
    mesh.vertex = SN_NEW_ZERO(double[3], n);
    mesh.triangle = SN_NEW(int32_t[3], n - 2);
    mesh.face = SN_NEW(int32_t, n - 2);
    for (int32_t t = 0; t < n - 2; t++) {
        mesh.face[t] = t + 1;
        for (int corner = 0; corner < 3; corner++)
            mesh.triangle[t][corner] = t + corner;
    }
    return mesh;
}

static void position_of(int64_t vertex, int frame, double at[3])
{
    unsigned long long state = (unsigned long long)(vertex * 1000 + frame);
    for (int d = 0; d < 3; d++)
        at[d] = test_random(&state) / 3;
}

typedef struct {
    sn_mesh mesh[N_BODIES];
    sn_surface_body body[N_BODIES];
    sn_surface_source source;
    int64_t *vertex;
    double (*position)[3];
    float (*heat)[2];
    int64_t n_everywhere;
} scattered;

/* Vertices are dealt out in no order; some ranks may have none. */
static void scatter(scattered *s, const char *run_dir)
{
    *s = (scattered){0};
    for (int b = 0; b < N_BODIES; b++) {
        s->mesh[b] = strip(VERTICES[b]);
        s->body[b] = (sn_surface_body){b == 0 ? "flesh" : "a", &s->mesh[b], NULL};
        s->n_everywhere += VERTICES[b];
    }
    s->vertex = SN_NEW(int64_t, s->n_everywhere);
    s->position = SN_NEW(double[3], s->n_everywhere);
    s->heat = SN_NEW(float[2], s->n_everywhere);
    size_t n = 0;
    for (int64_t v = s->n_everywhere - 1; v >= 0; v--)
        if ((v * 7919 / 13) % (size > 1 ? size - 1 : 1) == rank)
            s->vertex[n++] = v;
    s->source = (sn_surface_source){.comm = MPI_COMM_WORLD,
                                    .run_dir = run_dir,
                                    .scene = long_scene,
                                    .fps = 24,
                                    .body = s->body,
                                    .n_bodies = N_BODIES,
                                    .vertex = s->vertex,
                                    .n = n};
}

static sn_status write_scattered(scattered *s, int frame)
{
    sn_frame_array heat = {"heat", "K", H5T_NATIVE_FLOAT, 2, false, s->heat};
    for (size_t i = 0; i < s->source.n; i++) {
        position_of(s->vertex[i], frame, s->position[i]);
        s->heat[i][0] = (float)s->vertex[i];
        s->heat[i][1] = (float)frame;
    }
    return sn_surface_write(&s->source, frame, (const double(*)[3])s->position, &heat, 1);
}

static void free_scattered(scattered *s)
{
    for (int b = 0; b < N_BODIES; b++)
        sn_mesh_free(&s->mesh[b]);
    sn_free(s->vertex);
    sn_free(s->position);
    sn_free(s->heat);
}

static void check_frame(const sn_surface_frame *f, int frame)
{
    int64_t first = 0;
    CHECK(f->frame == frame && f->time == frame / 24.0, "frame %d at %g", f->frame, f->time);
    CHECK(f->n_bodies == N_BODIES, "%d bodies", f->n_bodies);
    CHECK(sn_surface_frame_find_body(f, "a") == 1 && sn_surface_frame_find_body(f, "b") == -1,
          "bodies by name");
    for (int b = 0; b < N_BODIES; b++) {
        const sn_surface_body_range *body = &f->body[b];
        CHECK(body->first_point == first && body->n_points == VERTICES[b], "points of a body");
        CHECK(body->n_faces == VERTICES[b] - 2, "faces of a body");
        for (int64_t t = 0; t < body->n_faces; t++) {
            const int64_t *corner = f->corner + f->first_corner[body->first_face + t];
            CHECK(f->first_corner[body->first_face + t] == 3 * (body->first_face + t), "offsets");
            for (int c = 0; c < 3; c++)
                CHECK(corner[c] == first + t + c, "corner %d of face %d", c, (int)t);
        }
        first += VERTICES[b];
    }
    CHECK(f->n_points == first && f->n_faces == first - 4, "as many as written");
    for (int64_t v = 0; v < f->n_points; v++) {
        double at[3];
        position_of(v, frame, at);
        CHECK(memcmp(at, f->point[v], sizeof at) == 0, "point %d is not the one written", (int)v);
    }
}

static void check_scene(hid_t file)
{
    hid_t attribute = H5Aopen_by_name(file, "/sinew", "scene", H5P_DEFAULT, H5P_DEFAULT);
    hid_t type = H5Aget_type(attribute);
    char *text = NULL;
    CHECK(H5Aread(attribute, type, &text) >= 0 && strcmp(text, long_scene) == 0, "the whole scene");
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void check_field(int frame)
{
    char path[256], *units = NULL;
    const char *name = "/VTKHDF/PointData/heat";
    sn_h5_source source;
    int64_t rows = 0;
    snprintf(path, sizeof path, "%s/%s", folder, sn_frame_file_of("surface", frame).text);
    CHECK(sn_h5_open(MPI_COMM_SELF, path, &source) == SN_OK, "%s", sn_failure_message());
    CHECK(sn_h5_read_rows(&source, name, 2, &rows) == SN_OK, "%s", sn_failure_message());
    float(*heat)[2] = SN_NEW(float[2], rows);
    sn_slab all = {0, rows};
    CHECK(sn_h5_read_array(&source, name, H5T_NATIVE_FLOAT, 2, all, heat) == SN_OK, "read");
    CHECK(rows == VERTICES[0] + VERTICES[1], "a row for each vertex");
    for (int64_t v = 0; v < rows; v++)
        CHECK(heat[v][0] == (float)v && heat[v][1] == (float)frame, "row %d", (int)v);
    CHECK(sn_h5_read_attribute_text(&source, name, "units", &units) == SN_OK && units[0] == 'K',
          "units");
    sn_free(units);
    sn_free(heat);
    check_scene(source.file);
    sn_h5_close(&source);
}

/* The series names every frame once, in order, with its time and its fields. */
static void check_series(void)
{
    char path[256], line[4096];
    int grids = 0, fields = 0;
    snprintf(path, sizeof path, "%s/surface" SN_FRAME_SERIES_ENDING, folder);
    FILE *file = fopen(path, "r");
    CHECK(file, "there is no series");
    while (file && fgets(line, sizeof line, file)) {
        int frame;
        double time;
        if (sscanf(line, "<Grid Name=\"frame %d\" GridType=\"Uniform\"><Time Value=\"%lf\"", &frame,
                   &time) == 2) {
            CHECK(frame == 9998 + 2 * grids && time == frame / 24.0, "frame %d at %g", frame, time);
            grids++;
        }
        fields += strstr(line, "<Attribute Name=\"heat\" Center=\"Node\"") != NULL;
    }
    if (file)
        fclose(file);
    CHECK(grids == 3 && fields == 3, "%d grids, %d fields", grids, fields);
}

/* Every rank reads by itself. */
static void frames_come_back(void)
{
    scattered s;
    scatter(&s, folder);
    sn_frame_series series = sn_frame_series_create(MPI_COMM_WORLD, folder, "surface");
    CHECK(write_scattered(&s, 10002) == SN_OK, "%s", sn_failure_message());
    for (int frame = 9998; frame <= 10002; frame += 2) { /* the last one again */
        CHECK(write_scattered(&s, frame) == SN_OK, "%s", sn_failure_message());
        CHECK(sn_frame_series_add(&series, frame) == SN_OK, "%s", sn_failure_message());
    }
    sn_frame_series_free(&series);
    check_series();
    MPI_Barrier(MPI_COMM_WORLD);
    int *frames = NULL, n = 0;
    CHECK(sn_surface_frames_list(folder, &frames, &n) == SN_OK, "%s", sn_failure_message());
    CHECK(n == 3 && frames[0] == 9998 && frames[1] == 10000 && frames[2] == 10002, "%d frames", n);
    for (int i = 0; i < n; i++) {
        sn_surface_frame frame;
        sn_status status = sn_surface_frame_read(folder, frames[i], &frame);
        CHECK(status == SN_OK, "%s", sn_failure_message());
        if (status != SN_OK)
            continue;
        check_frame(&frame, frames[i]);
        check_field(frames[i]);
        sn_surface_frame_free(&frame);
    }
    sn_free(frames);
    free_scattered(&s);
}

/* Whatever reads frames, and the series that lists them, would wait for ever for a pipe's writer.
 */
static void pipe_for_a_frame(void)
{
    char path[256];
    sn_surface_frame frame;
    sn_h5_source source;
    snprintf(path, sizeof path, "%s/%s", folder, sn_frame_file_of("surface", 7).text);
    if (rank == 0)
        CHECK(mkfifo(path, 0600) == 0, "no pipe");
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(sn_surface_frame_read(folder, 7, &frame) == SN_BAD_INPUT, "%s", sn_failure_message());
    CHECK(sn_h5_open(MPI_COMM_WORLD, path, &source) == SN_MACHINE, "%s", sn_failure_message());
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        unlink(path);
}

static void remove_folder(void)
{
    char name[128];
    for (int frame = 9998; frame <= 10002; frame += 2) {
        snprintf(name, sizeof name, "%s/%s", folder, sn_frame_file_of("surface", frame).text);
        unlink(name);
    }
    snprintf(name, sizeof name, "%s/surface" SN_FRAME_SERIES_ENDING, folder);
    unlink(name);
    CHECK(rmdir(folder) == 0, "there is more in %s than frames and their series", folder);
}

static void run(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    snprintf(folder, sizeof folder, "test_surface_frames_%d", size);
    for (size_t i = 0; i < sizeof long_scene - 1; i++)
        long_scene[i] = "name: test\n"[i % 11];
    if (rank == 0)
        mkdir(folder, 0777);
    MPI_Barrier(MPI_COMM_WORLD);
    frames_come_back();
    pipe_for_a_frame();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        remove_folder();
}

int main(int argc, char **argv)
{
    return test_main(argc, argv, run);
}
