/* The surface frames of a run for other programs: caches and meshes that these read.
 *
 * Coordinates are written as they are: which axis is up is the importing program's to say. What
 * is exported is one mesh: a body, or all bodies together, points and faces in the order of the
 * frames. Files appear when they are whole. Not collective: one rank exports, frame by frame, so
 * that one frame's memory is enough. */
#ifndef SN_IO_EXPORT_EXPORT_H
#define SN_IO_EXPORT_EXPORT_H

#include "io/frames/surface_read.h"

#include <stdio.h>

typedef struct {
    const char *run_dir;
    const char *body;   /* NULL: all of them, as one mesh */
    const char *output; /* the file; of formats with a file a frame with a # for each digit */
} sn_export;

/* How a format is called, and what the files of its own are called by default. */
typedef struct {
    const char *name, *meaning;
    sn_status (*write)(const sn_export *what);
    int file_a_frame; /* true: OBJ, PLY; false: one file for all */
} sn_export_format;

extern const sn_export_format sn_export_formats[];
extern const int sn_export_format_count;

/* Points and faces of a frame that belong to the body, or all. */
sn_surface_body_range sn_export_part(const sn_export *what, const sn_surface_frame *frame);

/* The parts of the above: the formats. */
SN_CHECKED sn_status sn_export_pc2(const sn_export *what);
SN_CHECKED sn_status sn_export_mdd(const sn_export *what);
SN_CHECKED sn_status sn_export_obj(const sn_export *what);
SN_CHECKED sn_status sn_export_ply(const sn_export *what);
SN_CHECKED sn_status sn_export_usda(const sn_export *what);

/* What the formats are made with: a walk through the frames, which must follow each other evenly
 * and be of one mesh. `visit` is called for each in turn; `index` counts from 0. */
typedef struct {
    int n;
    int *frame;        /* their numbers, ascending */
    int step;          /* from each to the next; 1 if there is only one */
    double *time, fps; /* in seconds, and frames a second */
    int64_t n_points;  /* of what is exported */
} sn_export_frames;

SN_CHECKED sn_status sn_export_frames_open(const sn_export *what, sn_export_frames *frames);
void sn_export_frames_free(sn_export_frames *frames);

typedef sn_status sn_export_visit(const sn_export *what, const sn_surface_frame *frame, int index,
                                  void *context);
SN_CHECKED sn_status sn_export_each(const sn_export *what, const sn_export_frames *frames,
                                    sn_export_visit *visit, void *context);

#endif
