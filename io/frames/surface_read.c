#include "io/frames/surface_read.h"

#include "base/array.h"
#include "io/frames/files.h"
#include "io/frames/surface_write.h"
#include "io/hdf5/read.h"

#include <errno.h>
#include <hdf5.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, LONGEST_NAME = 1 << 16 };

/* ---- Arrays of a file ---- */

typedef struct {
    const char *path;
    hid_t file;
} open_frame;

static sn_status not_a_frame(const open_frame *f, const char *what)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: not a whole surface frame: %s", f->path, what);
}

/* Reads all of a dataset into a new array of values of `bytes` bytes, NULL if that fails. */
static void *read_all(const open_frame *f, const char *name, hid_t type, size_t bytes, int columns,
                      int64_t *rows)
{
    hid_t set = H5Dopen2(f->file, name, H5P_DEFAULT);
    if (set < 0)
        return NULL;
    *rows = sn_h5_rows_of(set, columns);
    char *values = NULL;
    if (*rows >= 0) {
        values = SN_NEW(char, (size_t)*rows *(columns > 0 ? (size_t)columns : 1) * bytes + 1);
        if (H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
            sn_free(values);
            values = NULL;
        }
    }
    H5Dclose(set);
    return values;
}

static int64_t *read_integers(const open_frame *f, const char *name, int64_t *rows)
{
    return read_all(f, name, H5T_NATIVE_INT64, sizeof(int64_t), 0, rows);
}

static bool read_attribute(const open_frame *f, const char *name, hid_t type, void *value)
{
    hid_t attribute = H5Aopen_by_name(f->file, "/sinew", name, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0)
        return false;
    hid_t space = H5Aget_space(attribute);
    bool read = H5Sget_simple_extent_npoints(space) == 1 && H5Aread(attribute, type, value) >= 0;
    H5Sclose(space);
    H5Aclose(attribute);
    return read;
}

/* ---- Bodies ---- */

static void take_names(sn_surface_frame *out, const char *texts, size_t length)
{
    for (int b = 0; b < out->n_bodies; b++) {
        out->body[b].name = SN_NEW_ZERO(char, length + 1);
        memcpy(out->body[b].name, texts + (size_t)b * length, length);
    }
}

static bool read_names(const open_frame *f, sn_surface_frame *out)
{
    hid_t set = H5Dopen2(f->file, "/sinew/name", H5P_DEFAULT);
    if (set < 0)
        return false;
    hid_t type = H5Dget_type(set);
    size_t length = H5Tget_size(type);
    bool texts = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && length > 0 &&
                 length < LONGEST_NAME;
    H5Dclose(set);
    int64_t rows;
    char *names = texts ? read_all(f, "/sinew/name", type, length, 0, &rows) : NULL;
    H5Tclose(type);
    bool read = names && rows == out->n_bodies;
    if (read)
        take_names(out, names, length);
    sn_free(names);
    return read;
}

/* Ascending from 0 to `end`, one more than there are bodies. */
static bool are_ends(const int64_t *first, int64_t count, int64_t bodies, int64_t end)
{
    if (!first || count != bodies + 1 || first[0] != 0 || first[bodies] != end)
        return false;
    for (int64_t b = 0; b < bodies; b++)
        if (first[b] > first[b + 1])
            return false;
    return true;
}

static bool read_ranges(const open_frame *f, sn_surface_frame *out)
{
    int64_t points = 0, faces = 0;
    int64_t *first_point = read_integers(f, "/sinew/first_point", &points);
    int64_t *first_face = read_integers(f, "/sinew/first_face", &faces);
    int64_t n = points - 1;
    bool good = n >= 1 && n <= INT_MAX && are_ends(first_point, points, n, out->n_points) &&
                are_ends(first_face, faces, n, out->n_faces);
    if (good) {
        out->n_bodies = (int)n;
        out->body = SN_NEW_ZERO(sn_surface_body_range, n);
        for (int b = 0; b < out->n_bodies; b++)
            out->body[b] =
                (sn_surface_body_range){NULL, first_point[b], first_point[b + 1] - first_point[b],
                                        first_face[b], first_face[b + 1] - first_face[b]};
    }
    sn_free(first_point);
    sn_free(first_face);
    return good;
}

/* Every face has corners, and all of them are points of the face's own body. */
static bool faces_are_good(const sn_surface_frame *s, int64_t corners)
{
    if (s->first_corner[0] != 0 || s->first_corner[s->n_faces] != corners)
        return false;
    for (int b = 0; b < s->n_bodies; b++) {
        const sn_surface_body_range *body = &s->body[b];
        for (int64_t face = body->first_face; face < body->first_face + body->n_faces; face++) {
            int64_t from = s->first_corner[face], to = s->first_corner[face + 1];
            if (from >= to || to > corners)
                return false;
            for (int64_t i = from; i < to; i++)
                if (s->corner[i] < body->first_point ||
                    s->corner[i] - body->first_point >= body->n_points)
                    return false;
        }
    }
    return true;
}

/* ---- A frame ---- */

static sn_status read_frame(const open_frame *f, sn_surface_frame *out)
{
    int64_t number = 0, corners = 0, offsets = 0;
    if (!read_attribute(f, "frame", H5T_NATIVE_INT64, &number) ||
        !read_attribute(f, "time", H5T_NATIVE_DOUBLE, &out->time) ||
        !read_attribute(f, "fps", H5T_NATIVE_DOUBLE, &out->fps) || !(out->fps > 0))
        return not_a_frame(f, "frame, time and fps are missing");
    if (number != out->frame)
        return SN_FAIL(SN_BAD_INPUT, "%s: holds frame %lld", f->path, (long long)number);
    out->point =
        read_all(f, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, sizeof(double), 3, &out->n_points);
    if (!out->point)
        return not_a_frame(f, "its points cannot be read");
    out->corner = read_integers(f, "/VTKHDF/Connectivity", &corners);
    out->first_corner = read_integers(f, "/VTKHDF/Offsets", &offsets);
    out->n_faces = offsets - 1;
    if (!out->corner || !out->first_corner || offsets < 1)
        return not_a_frame(f, "its faces cannot be read");
    if (!read_ranges(f, out) || !read_names(f, out))
        return not_a_frame(f, "its bodies cannot be read");
    return faces_are_good(out, corners) ? SN_OK : not_a_frame(f, "its faces name wrong points");
}

sn_status sn_surface_frames_list(const char *run_dir, int **frames, int *n)
{
    return sn_frame_files_list(run_dir, SN_SURFACE_FRAMES, frames, n);
}

sn_status sn_surface_frame_read(const char *run_dir, int frame, sn_surface_frame *out)
{
    char path[PATH_BYTES];
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its complaints become our messages */
    *out = (sn_surface_frame){.frame = frame};
    snprintf(path, sizeof path, "%s/%s", run_dir, sn_frame_file_of(SN_SURFACE_FRAMES, frame).text);
    open_frame f = {path, H5I_INVALID_HID};
    if (access(path, R_OK) != 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: cannot open the frame: %s", path, strerror(errno));
    f.file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (f.file < 0)
        return not_a_frame(&f, "HDF5 cannot open it");
    sn_status status = read_frame(&f, out);
    H5Fclose(f.file);
    if (status != SN_OK)
        sn_surface_frame_free(out);
    return status;
}

void sn_surface_frame_free(sn_surface_frame *frame)
{
    for (int b = 0; b < frame->n_bodies; b++)
        sn_free(frame->body[b].name);
    sn_free(frame->body);
    sn_free(frame->point);
    sn_free(frame->corner);
    sn_free(frame->first_corner);
    *frame = (sn_surface_frame){0};
}

int sn_surface_frame_find_body(const sn_surface_frame *frame, const char *name)
{
    for (int b = 0; b < frame->n_bodies; b++)
        if (strcmp(frame->body[b].name, name) == 0)
            return b;
    return -1;
}
