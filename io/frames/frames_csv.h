/* frames.csv of the run directory: one row a frame, which certifies it.
 *
 * Rank 0 writes. A row is on the disk before the call returns, and is written in one piece: a
 * killed run leaves whole rows, or at worst one piece of the last, which is cut off when the run
 * goes on. Numbers are written so that reading them gives the same bits; what is not a number
 * is `nan`. */
#ifndef SN_IO_FRAMES_FRAMES_CSV_H
#define SN_IO_FRAMES_FRAMES_CSV_H

#include "base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_FRAMES_CSV_HEADER                                                                       \
    "frame,time,newton,linear,residual,elastic_energy,kinetic_energy,min_det_f,inverted,volume,"   \
    "max_penetration,bone_error,seconds,digest,friction_excess,"                                   \
    "contact_energy"

/* The columns, in their order, and what a run has to know of its frames at the end. */
typedef struct {
    int frame;
    double time;
    int newton, linear;
    double residual, elastic_energy, kinetic_energy, min_det_f;
    int64_t inverted;
    double volume, max_penetration, bone_error, seconds;
    uint64_t digest;
    double friction_excess;  /* of a contact's tangential force, in parts of its limit */
    double contact_energy;   /* of all springs of contact */
    double penetrated_cells; /* no column: the worst penetration in finest cells of its body */
} sn_frame_row;

/* Not collective. The name of the first column that is not finite; NULL if all are. */
const char *sn_frame_row_not_finite(const sn_frame_row *row);

typedef struct {
    MPI_Comm comm; /* the caller's */
    char *path;
    int descriptor; /* -1 on ranks that don't write */
} sn_frames_csv;

/* Collective, as all below. Starts the file with its header, or with `go_on` keeps the whole
 * rows that it has. After a failure there is nothing to close. */
SN_CHECKED sn_status sn_frames_csv_open(MPI_Comm comm, const char *path, bool go_on,
                                        sn_frames_csv *csv);

/* Replaces the file, if there is one, by one with these rows; rank 0's count. */
SN_CHECKED sn_status sn_frames_csv_rewrite(MPI_Comm comm, const char *path,
                                           const sn_frame_row *rows, size_t n);

/* Not collective. The whole rows of a file, which the caller frees; half a row at the end is left
 * out. SN_BAD_INPUT if it is none that this version writes. */
SN_CHECKED sn_status sn_frames_csv_read(const char *path, sn_frame_row **rows, size_t *n);

/* Rank 0's row counts. */
SN_CHECKED sn_status sn_frames_csv_add(sn_frames_csv *csv, const sn_frame_row *row);

/* Safe on a zeroed or closed file. */
void sn_frames_csv_close(sn_frames_csv *csv);

#endif
