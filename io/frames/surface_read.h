/* Frames of the deformed surface, read back from a run directory.
 *
 * Reads what surface_write.h wrote, on one rank alone and without MPI: for exports, pictures and
 * tests. Points are the solver's own bits, in the order of the input meshes' vertices, all bodies
 * one after another. Bad files are reported, never believed: every index is checked. */
#ifndef SN_IO_FRAMES_SURFACE_READ_H
#define SN_IO_FRAMES_SURFACE_READ_H

#include "base/status.h"

#include <stdint.h>

/* The part of a frame that is one body. */
typedef struct {
    char *name;
    int64_t first_point, n_points;
    int64_t first_face, n_faces;
} sn_surface_body_range;

typedef struct {
    int frame;
    double time, fps; /* in seconds, and frames a second */
    int64_t n_points, n_faces;
    double (*point)[3];
    int64_t *corner;       /* numbers of points; those of a face stand together, as in the input */
    int64_t *first_corner; /* n_faces + 1: where each face's corners start */
    /* Not in a frame itself, see meshes.h, which owns them: places in the texture, and which of
     * them each corner has (-1: none). NULL if there are none. */
    int64_t n_uvs;
    const double (*uv)[2];
    const int64_t *uv_corner;
    int n_bodies;
    sn_surface_body_range *body;
} sn_surface_frame;

/* Not collective, as all below. SN_BAD_INPUT if there is no such frame or the file is not a
 * frame of Sinew's. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_surface_frame_read(const char *run_dir, int frame, sn_surface_frame *out);
void sn_surface_frame_free(sn_surface_frame *frame);

/* Index of the body with this name, or -1. */
int sn_surface_frame_find_body(const sn_surface_frame *frame, const char *name);

/* As sn_frame_files_list. */
SN_CHECKED sn_status sn_surface_frames_list(const char *run_dir, int **frames, int *n);

#endif
