/* A motion of one skeleton, played by another one of other proportions and names.
 *
 * Turns are taken over, places are not: bones keep their lengths. The motion's rest pose need not
 * be that of the skeleton here: one may stand with level arms, the other with lowered ones. So the
 * motion's skeleton is first put into the pose of the one here: in limbs, below which nothing
 * branches, each joint is turned the shortest way until it points to the next one as it does here,
 * and what hangs on it goes with it. Spines, whose joints lie here at the back and there in the
 * middle, are taken to rest alike. A joint without a counterpart stays as it is to what it hangs
 * on.
 *
 * Some files have limbs that turn half around about themselves from one frame to the next; here
 * they do not.
 *
 * The topmost joint is shifted as that of the motion, from where it rests here: along the ground
 * from where the motion starts, up and down from where the motion's joint rests, in proportion to
 * the height of both over their lowest joints. */
#ifndef SN_MOTION_RETARGET_H
#define SN_MOTION_RETARGET_H

#include "base/status.h"
#include "io/motion/skeleton.h"
#include "io/schema/settings.h"
#include "motion/settings.h"

typedef struct {
    const sn_skeleton *here, *there;
    const sn_pairs *names;   /* joints here and there, beside those that are called alike */
    const sn_motion *motion; /* axes and lengths of `there`, and its rest frame */
    const sn_affine *place;  /* of the skeleton here in the scene */
    double start;            /* time of the motion when the shot starts */
    double a_frame;          /* of the motion's file, by its clock */
} sn_retarget;

/* Serial. The skeleton here, with tracks by the clock of the one there. Names that are not there
 * are told; after a failure there is nothing to free. */
SN_CHECKED sn_status sn_skeleton_retarget(const sn_retarget *r, sn_skeleton *result);

#endif
