/* From a file's axes and lengths to the scene's.
 *
 * The file's up axis is turned to y, about the axis that is neither; from z the x axis stays, and
 * from x the z axis. Such a turn only swaps coordinates and signs, so it rounds nothing. */
#ifndef SN_MOTION_AXES_H
#define SN_MOTION_AXES_H

#include "base/affine.h"
#include "motion/settings.h"

static inline sn_vec sn_motion_axes_point(const sn_motion *motion, sn_vec p)
{
    sn_vec turned = motion->up == SN_UP_X   ? (sn_vec){-p.y, p.x, p.z}
                    : motion->up == SN_UP_Z ? (sn_vec){p.x, p.z, -p.y}
                                            : p;
    return sn_vec_scale(turned, motion->scale);
}

/* The map that does in the scene what `pose` does in the file. */
sn_affine sn_motion_axes_pose(const sn_motion *motion, const sn_affine *pose);

/* Frames a second of the file: as the scene says, else as the file does, else the scene's. */
double sn_motion_fps(const sn_frames *frames, const sn_motion *motion, double fps_of_file);

#endif
