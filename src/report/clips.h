/* What the page shows of the frames: the surface, and slices through the cells of the octree. */
#ifndef SN_REPORT_CLIPS_H
#define SN_REPORT_CLIPS_H

#include "base/status.h"

#include <stdio.h>

/* What of a run the page shows. */
typedef struct {
    const char *run_dir;
    const int *frame; /* numbers, ascending */
    int n_frames;
    int most_triangles; /* of a frame of the surface */
} sn_report_frames;

/* Writes the blocks of the clip "surface" to `page` and its description, an object of JSON, to
 * `about`. */
SN_CHECKED sn_status sn_report_surface(const sn_report_frames *frames, FILE *page, FILE *about);

/* The same for slices through the octree's cells, "slice-x", "slice-y" and "slice-z", as far as
 * these frames have cells: objects with commas between them, or nothing. A slice is the plane
 * through the middle of the cells at rest, and goes where they go. */
SN_CHECKED sn_status sn_report_slices(const sn_report_frames *frames, FILE *page, FILE *about);

#endif
