/* HDF5 files that all ranks read, each the rows that it wants.
 *
 * The counterpart of write.h. Every rank opens the file by itself and reads without waiting
 * for others: a file that is damaged where one rank reads must not leave the others in a
 * collective call. Only the status is agreed on, in every call. */
#ifndef SN_IO_HDF5_READ_H
#define SN_IO_HDF5_READ_H

#include "io/hdf5/write.h"

#include <stdbool.h>

typedef struct {
    MPI_Comm comm;
    char *path;
    hid_t file;
} sn_h5_source;

/* Collective, as all below. After a failure there is nothing to close. */
SN_CHECKED sn_status sn_h5_open(MPI_Comm comm, const char *path, sn_h5_source *source);
void sn_h5_close(sn_h5_source *source);

/* An attribute of a group or an array that has `count` values. */
SN_CHECKED sn_status sn_h5_read_attribute(sn_h5_source *source, const char *object,
                                          const char *name, hid_t type, int count, void *values);
/* Not collective. */
bool sn_h5_has_attribute(const sn_h5_source *source, const char *object, const char *name);

/* A text, in memory that the caller frees. */
SN_CHECKED sn_status sn_h5_read_attribute_text(sn_h5_source *source, const char *object,
                                               const char *name, char **text);
SN_CHECKED sn_status sn_h5_read_text(sn_h5_source *source, const char *name, char **text);

/* Not collective. HDF5's complaints become our messages, and no link leads out of a file any more:
 * whoever made it could have other files of this machine read. */
void sn_h5_stay_inside(void);

/* Not collective: the rows of an open array with so many columns (0: one-dimensional), or -1 if it
 * has another shape, or if its numbers are in other files. */
int64_t sn_h5_rows_of(hid_t set, int columns);

/* Not collective: can what the file has of it be so many rows? Chunks that were never written have
 * no bytes at all. */
bool sn_h5_has_room(hid_t set, int columns, int64_t rows);

/* How many rows an array with `columns` columns (0: one-dimensional) has. */
SN_CHECKED sn_status sn_h5_read_rows(sn_h5_source *source, const char *name, int columns,
                                     int64_t *rows);

/* This rank's rows of it into `values`. */
SN_CHECKED sn_status sn_h5_read_array(sn_h5_source *source, const char *name, hid_t type,
                                      int columns, sn_slab slab, void *values);

#endif
