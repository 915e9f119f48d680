/* A run's frames, from where the shot is to the last one: rows, surfaces, pictures, checkpoints,
 * and stops. */
#ifndef SN_RUN_FRAMES_H
#define SN_RUN_FRAMES_H

#include "shot/checkpoint/checkpoint.h"

typedef struct {
    bool preview;
    double max_hours; /* INFINITY for no limit */
} sn_run_options;

/* Collective. `rows` are those of the frames that were reached before, and grow. SN_STOPPED if the
 * run was asked to stop and can be gone on with; SN_INACCURATE, naming the first frame, if some
 * missed the tolerance or one could not be solved. */
SN_CHECKED sn_status sn_run_frames(MPI_Comm comm, sn_shot *shot, sn_frame_rows *rows,
                                   sn_run_options options);

#endif
