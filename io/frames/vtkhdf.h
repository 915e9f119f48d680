/* What all frames that VTK opens have in common: the heads of a VTKHDF file of the type
 * UnstructuredGrid and of Sinew's own group, and rows that lie scattered over the ranks. */
#ifndef SN_IO_FRAMES_VTKHDF_H
#define SN_IO_FRAMES_VTKHDF_H

#include "io/hdf5/write.h"

#include <stddef.h>

/* Collective, as all below: /VTKHDF with its groups and counts. */
void sn_vtkhdf_head(sn_h5_file *file, int64_t n_points, int64_t n_cells, int64_t n_corners);

typedef struct {
    int frame;
    double time, fps;
    const char *scene; /* its text */
} sn_frame_about;

/* /sinew with attributes: frame, time, fps, version, units and the whole scene. */
void sn_vtkhdf_about(sn_h5_file *file, const sn_frame_about *about);

/* Which rows of an array this rank has: blocks of rows, by their numbers, in any order. Every block
 * must be somewhere; where several ranks have one, it is the same. */
typedef struct {
    int64_t blocks; /* of the whole array */
    int rows;       /* in a block */
    size_t n;       /* this rank's */
    const int64_t *number;
} sn_scattered_rows;

/* An array (as sn_h5_array) of rows that lie scattered over the ranks; they are sent to those that
 * write them. */
void sn_h5_scattered(sn_h5_file *file, const char *name, hid_t type, int columns,
                     const sn_scattered_rows *rows, const void *values);

/* What a frame has beside positions. */
typedef struct {
    const char *name, *units;
    hid_t type;
    int columns;  /* 0: one number a row */
    bool hurried; /* as in io/hdf5/write.h */
    const void *values;
} sn_frame_array;

/* An array of /VTKHDF/<group>, with its units as an attribute. */
void sn_vtkhdf_array(sn_h5_file *file, const char *group, const sn_frame_array *array,
                     const sn_scattered_rows *rows);

/* What so many rows of the arrays take, uncompressed. */
int64_t sn_frame_arrays_bytes(const sn_frame_array *arrays, int n, int64_t rows);

#endif
