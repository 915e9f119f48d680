/* An HDF5 file of a run directory, read by one rank alone and without MPI. Nothing in it is
 * believed: arrays have the shape that is asked for, and the file has room for them, or there are
 * none. */
#ifndef SN_IO_FRAMES_SOURCE_H
#define SN_IO_FRAMES_SOURCE_H

#include "base/status.h"

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    const char *path; /* the caller's, as is `what`: "surface frame", for messages */
    const char *what;
    hid_t file;
} sn_frame_source;

/* Not collective, as all below. SN_BAD_INPUT if it cannot be opened; then there is nothing to
 * close. */
SN_CHECKED sn_status sn_frame_open(const char *path, const char *what, sn_frame_source *source);
void sn_frame_close(sn_frame_source *source);

/* SN_BAD_INPUT: it is not whole, and why. */
SN_CHECKED sn_status sn_frame_broken(const sn_frame_source *source, const char *why);

bool sn_frame_has(const sn_frame_source *source, const char *name);

/* All of an array with so many columns (0: one-dimensional) of values of `bytes` bytes; NULL if
 * that fails. The caller frees it. */
void *sn_frame_values(const sn_frame_source *source, const char *name, hid_t type, size_t bytes,
                      int columns, int64_t *rows);
int64_t *sn_frame_integers(const sn_frame_source *source, const char *name, int64_t *rows);

/* One value that /sinew has. */
bool sn_frame_attribute(const sn_frame_source *source, const char *name, hid_t type, void *value);

/* The names of so many bodies, each of them and the array for sn_free; NULL if there are others. */
char **sn_frame_names(const sn_frame_source *source, int n_bodies);

/* Whether these are n + 1 numbers that ascend from 0 to `end`. */
bool sn_frame_are_ends(const int64_t *first, int64_t count, int64_t n, int64_t end);

#endif
