#include "io/frames/surface_read.h"

#include "base/array.h"
#include "io/frames/files.h"
#include "io/frames/source.h"
#include "io/frames/surface_write.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

/* No frame of sense has points farther out, and caches and pictures are in single precision. */
static const double FARTHEST = 1e30;

/* ---- Bodies ---- */

static bool read_ranges(const sn_frame_source *f, sn_surface_frame *out)
{
    int64_t points = 0, faces = 0;
    int64_t *first_point = sn_frame_integers(f, "/sinew/first_point", &points);
    int64_t *first_face = sn_frame_integers(f, "/sinew/first_face", &faces);
    int64_t n = points - 1;
    bool good = n >= 1 && n <= INT_MAX &&
                sn_frame_are_ends(first_point, points, n, out->n_points) &&
                sn_frame_are_ends(first_face, faces, n, out->n_faces);
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

static bool read_names(const sn_frame_source *f, sn_surface_frame *out)
{
    char **name = sn_frame_names(f, out->n_bodies);
    for (int b = 0; name && b < out->n_bodies; b++)
        out->body[b].name = name[b];
    sn_free(name);
    return name != NULL;
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

static bool are_finite(const double (*point)[3], int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            if (!(fabs(point[i][d]) <= FARTHEST))
                return false;
    return true;
}

static sn_status read_frame(const sn_frame_source *f, sn_surface_frame *out)
{
    int64_t number = 0, corners = 0, offsets = 0;
    if (!sn_frame_attribute(f, "frame", H5T_NATIVE_INT64, &number) ||
        !sn_frame_attribute(f, "time", H5T_NATIVE_DOUBLE, &out->time) ||
        !sn_frame_attribute(f, "fps", H5T_NATIVE_DOUBLE, &out->fps) || !isfinite(out->time) ||
        !isfinite(out->fps) || !(out->fps > 0))
        return sn_frame_broken(f, "frame, time and fps are missing");
    if (number != out->frame)
        return SN_FAIL(SN_BAD_INPUT, "%s: holds frame %lld", f->path, (long long)number);
    out->point =
        sn_frame_values(f, "/VTKHDF/Points", H5T_NATIVE_DOUBLE, sizeof(double), 3, &out->n_points);
    if (!out->point)
        return sn_frame_broken(f, "its points cannot be read");
    if (!are_finite((const double(*)[3])out->point, out->n_points))
        return sn_frame_broken(f, "it has a point that is not finite, or beyond 1e30");
    out->corner = sn_frame_integers(f, "/VTKHDF/Connectivity", &corners);
    out->first_corner = sn_frame_integers(f, "/VTKHDF/Offsets", &offsets);
    out->n_faces = offsets - 1;
    if (!out->corner || !out->first_corner || offsets < 1)
        return sn_frame_broken(f, "its faces cannot be read");
    if (!read_ranges(f, out) || !read_names(f, out))
        return sn_frame_broken(f, "its bodies cannot be read");
    return faces_are_good(out, corners) ? SN_OK : sn_frame_broken(f, "its faces name wrong points");
}

sn_status sn_surface_frames_list(const char *run_dir, int **frames, int *n)
{
    return sn_frame_files_list(run_dir, SN_SURFACE_FRAMES, frames, n);
}

sn_status sn_surface_frame_read(const char *run_dir, int frame, sn_surface_frame *out)
{
    char path[PATH_BYTES];
    *out = (sn_surface_frame){.frame = frame};
    snprintf(path, sizeof path, "%s/%s", run_dir, sn_frame_file_of(SN_SURFACE_FRAMES, frame).text);
    sn_frame_source f;
    SN_TRY(sn_frame_open(path, "surface frame", &f));
    sn_status status = read_frame(&f, out);
    sn_frame_close(&f);
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
