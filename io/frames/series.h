/* The frames of a run in one file for programs that read XDMF: surface.xmf beside
 * surface_0001.vtkhdf and so on, octree.xmf beside octree_0001.vtkhdf.
 *
 * Knows nothing of what frames hold: each is described by what its own file says, its time, its
 * points and cells and all fields. So frames that a run wrote before it was gone on with, with
 * other fields, stay in the series as they are. */
#ifndef SN_IO_FRAMES_SERIES_H
#define SN_IO_FRAMES_SERIES_H

#include "base/array.h"
#include "base/status.h"

#include <mpi.h>
#include <stdbool.h>

#define SN_FRAME_SERIES_ENDING ".xmf"

typedef struct {
    int frame;
    char *grid; /* its part of the file */
} sn_series_entry;

typedef struct {
    MPI_Comm comm;
    const char *run_dir, *kind;         /* the caller's */
    bool listed;                        /* what the directory had is in it */
    SN_VECTOR(sn_series_entry) entries; /* rank 0's, by frame */
} sn_frame_series;

/* Not collective. `kind` as in files.h. */
sn_frame_series sn_frame_series_create(MPI_Comm comm, const char *run_dir, const char *kind);
void sn_frame_series_free(sn_frame_series *series);

/* Collective. A frame has been written, perhaps again: writes the series with all frames that the
 * directory has. A file that is not a frame is left out. */
SN_CHECKED sn_status sn_frame_series_add(sn_frame_series *series, int frame);

#endif
