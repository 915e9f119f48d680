/* Whether a motion can be of a thing: seen before the shot starts, not when it breaks down. */
#ifndef SN_MOTION_SANE_H
#define SN_MOTION_SANE_H

#include "motion/motion.h"

/* Not collective: the same on all ranks. Fails, with the scene's line, if at a frame of the shot
 * the pose is not finite, flattens space, stretches it beyond all measure, or takes the thing
 * farther than `reach` away. */
SN_CHECKED sn_status sn_moving_check(const sn_moving *moving, const sn_motion_source *source,
                                     const char *key_path, double reach);

#endif
