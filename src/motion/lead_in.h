/* The way from rest into a motion, in the frames of the preroll.
 *
 * At the beginning a thing is where it rests, and stands still. It goes to where the motion has it
 * at the shot's first frame, and comes there as fast as the motion goes on: what it goes to is the
 * motion's first pose and, a little, what was before it, which is taken to be the mirror image of
 * what comes after it. So the way has no kinks. */
#ifndef SN_MOTION_LEAD_IN_H
#define SN_MOTION_LEAD_IN_H

#include "base/affine.h"
#include "motion/settings.h"

/* From 0 to 1, standing still at both. */
static inline double sn_eased(double t)
{
    return t * t * (3 - 2 * t);
}

/* Where a frame before the first lies on the way. */
typedef struct {
    double part;  /* of it: 0 at rest, 1 at the first frame's pose */
    double ahead; /* frames after the first one: what is there, mirrored, is gone to */
} sn_lead_in;

static inline bool sn_is_lead_in(const sn_frames *frames, double frame)
{
    return frame < frames->first && frames->preroll > 0;
}

sn_lead_in sn_lead_in_at(const sn_frames *frames, double frame);

/* A thing's pose on its way, from where it rests, by those of the first frame and of `ahead`
 * frames after it: along a screw, so that what turns about a hinge stays on it; poses that are not
 * rigid have their entries go linearly. */
sn_affine sn_lead_in_pose(const sn_lead_in *way, const sn_affine *first, const sn_affine *ahead);

#endif
