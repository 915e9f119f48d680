/* A run's frames, from where the shot is to the last one: rows, surfaces, pictures, checkpoints,
 * and stops. */
#ifndef SN_RUN_FRAMES_H
#define SN_RUN_FRAMES_H

#include "run/hold.h"
#include "run/run.h"
#include "shot/checkpoint/checkpoint.h"

/* Collective. The verdict on the frames of a run, with the status that it would end with: SN_OK, or
 * SN_INACCURATE, as when a frame could not be solved. */
SN_CHECKED sn_status sn_run_judge(const sn_scene *scene, const sn_frame_rows *rows,
                                  sn_status status);

/* Collective, in a directory that is held. `rows` are those of the frames that were reached before,
 * and grow. Of the options preview, max_hours, from and
 * may_change count. Statuses as those of sn_run_scene. */
SN_CHECKED sn_status sn_run_frames(sn_hold *hold, sn_shot *shot, sn_frame_rows *rows,
                                   const sn_run_options *options);

#endif
