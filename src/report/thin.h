/* A surface of fewer triangles: vertices that share a cell of a grid become one of them.
 *
 * What is kept are points of the surface itself, so they can be followed through all frames; the
 * surface's bodies stay apart. For looking at. */
#ifndef SN_REPORT_THIN_H
#define SN_REPORT_THIN_H

#include "io/frames/surface_read.h"

#include <stddef.h>

typedef struct {
    int64_t *point; /* numbers in the frame of the points that are kept, ascending in bodies */
    size_t n_points;
    uint32_t (*triangle)[3]; /* between these */
    size_t n_triangles;
    size_t *first_triangle; /* of each body, and the end */
    double edge;            /* of the grid's cells; 0 if all points were kept */
} sn_thin_surface;

/* At most about so many triangles; faces are cut into fans. */
sn_thin_surface sn_thin_surface_of(const sn_surface_frame *frame, size_t most_triangles);
void sn_thin_surface_free(sn_thin_surface *surface);

#endif
