/* What all frames that VTK opens have in common: the heads of a VTKHDF file of the type
 * UnstructuredGrid and of Sinew's own group, and rows that lie scattered over the ranks. */
#ifndef SN_IO_VTKHDF_H
#define SN_IO_VTKHDF_H

#include "io/h5_write.h"

#include <stddef.h>

/* Collective, as all below: /VTKHDF with its groups and counts. */
void sn_vtkhdf_head(sn_h5_file *file, int64_t n_points, int64_t n_cells, int64_t n_corners);

typedef struct {
    int frame;
    double time, fps;
    const char *scene; /* its text */
} sn_frame_about;

/* /sinew: frame, time, fps, version, units and scene. */
void sn_vtkhdf_about(sn_h5_file *file, const sn_frame_about *about);

/* An array (as sn_h5_array) of which this rank has the rows `row[0..n)`, in any order. Every row
 * must be somewhere. They are sent to the ranks that write them. */
void sn_h5_scattered(sn_h5_file *file, const char *name, hid_t type, int64_t rows, int columns,
                     size_t n, const int64_t *row, const void *values);

#endif
