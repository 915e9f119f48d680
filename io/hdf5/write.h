/* HDF5 files that all ranks write together.
 *
 * Hides HDF5: drivers, property lists, handles and its error stack. Arrays are chunked,
 * compressed and checksummed (shuffle, deflate, fletcher32) and written collectively, each rank
 * with a slab of rows. Where slabs are cut does not change what the file holds, but slabs that
 * end where chunks do spare the ranks from sending pieces of chunks to each other:
 *
 *     sn_slab slab = sn_h5_slab(comm, rows);      rows slab.first and on, slab.n of them
 *
 * A file grows under a temporary name, and gets its own when it is whole. Failures come at two
 * places only. sn_h5_create finds out whether the file can be made and whether there is room for
 * all of it. After that a disk can still break; but parallel HDF5 has no way back from a write
 * that failed on one rank (the others wait for it), so this ends the job, as running out of
 * memory does. */
#ifndef SN_IO_HDF5_WRITE_H
#define SN_IO_HDF5_WRITE_H

#include "base/status.h"

#include <hdf5.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct {
    int64_t first, n;
} sn_slab;

/* Rows in a chunk: a slab starts and ends at a multiple of this, or at the last row. */
enum { SN_H5_CHUNK_ROWS = 1 << 14 };

/* This rank's share of `rows` rows. */
sn_slab sn_h5_slab(MPI_Comm comm, int64_t rows);

/* The rank whose share row `row` is. */
int sn_h5_slab_rank(MPI_Comm comm, int64_t rows, int64_t row);

typedef struct {
    MPI_Comm comm;
    char *path, *part; /* the file's name, and the one until it is whole */
    hid_t file;
    bool sealed;  /* to be set by whoever wants io/hdf5/seal.h's seal at the end of the file */
    bool hurried; /* the same for arrays to come that hardly shrink: they go straight to the disk,
                   * neither compressed nor checksummed */
} sn_h5_file;

/* Collective, as all below. `bytes` is the most that the arrays will take uncompressed: room for
 * it is reserved, and what is not used is given back. After a failure there is nothing to finish,
 * and no file. */
SN_CHECKED sn_status sn_h5_create(MPI_Comm comm, const char *path, int64_t bytes, sn_h5_file *file);

/* Closes the file and gives it its name. */
SN_CHECKED sn_status sn_h5_finish(sn_h5_file *file);

void sn_h5_group(sn_h5_file *file, const char *name);

/* Attributes of a group or an array, texts in ASCII; the same values on all ranks. One value is a
 * scalar, but with rows it is an array of one (columns 0: one-dimensional). */
void sn_h5_attribute(sn_h5_file *file, const char *object, const char *name, hid_t type, int count,
                     const void *values);
void sn_h5_attribute_rows(sn_h5_file *file, const char *object, const char *name, hid_t type,
                          int rows, int columns, const void *values);
void sn_h5_attribute_text(sn_h5_file *file, const char *object, const char *name, const char *text);

/* A text in UTF-8 that may be longer than the 64 KiB of an object's header. */
void sn_h5_attribute_long_text(sn_h5_file *file, const char *object, const char *name,
                               const char *text);

/* An array of `rows` rows of `columns` values (columns 0: one-dimensional), of which this rank
 * has `slab`. `type` is both that of the memory and of the file. */
void sn_h5_array(sn_h5_file *file, const char *name, hid_t type, int64_t rows, int columns,
                 sn_slab slab, const void *values);

/* A few values that all ranks have, and texts of any length in UTF-8. */
void sn_h5_table(sn_h5_file *file, const char *name, hid_t type, int64_t rows, const void *values);
void sn_h5_text(sn_h5_file *file, const char *name, const char *text);
void sn_h5_texts(sn_h5_file *file, const char *name, const char *const *texts, int count);

#endif
