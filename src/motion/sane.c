#include "motion/sane.h"

#include <math.h>

/* Squares of such numbers are still finite, and so is what is worked out of them. */
static const double most_stretch = 1e30;

static bool stretches_beyond(const sn_affine *pose, double most)
{
    for (int d = 0; d < 3; d++)
        for (int e = 0; e < 3; e++)
            if (!(fabs(pose->row[d][e]) <= most))
                return true;
    return false;
}

static bool reaches_beyond(const sn_affine *pose, double reach)
{
    for (int d = 0; d < 3; d++)
        if (!(fabs(pose->row[d][3]) <= reach))
            return true;
    return false;
}

static sn_status check_pose(const sn_affine *pose, const sn_motion_source *source,
                            const char *key_path, int frame, double reach)
{
    sn_affine inverse;
    if (!sn_affine_is_finite(pose))
        return sn_origin_fail(source->origin, key_path, "is not finite at frame %d", frame);
    if (stretches_beyond(pose, most_stretch))
        return sn_origin_fail(source->origin, key_path,
                              "stretches what it moves by more than %g at frame %d", most_stretch,
                              frame);
    if (!sn_affine_invert(pose, &inverse))
        return sn_origin_fail(source->origin, key_path, "flattens what it moves at frame %d",
                              frame);
    if (reaches_beyond(pose, reach))
        return sn_origin_fail(
            source->origin, key_path,
            "leads farther than %g away at frame %d, where numbers are too coarse "
            "for the body's cells",
            reach, frame);
    return SN_OK;
}

sn_status sn_moving_check(const sn_moving *moving, const sn_motion_source *source,
                          const char *key_path, double reach)
{
    if (moving->settings->kind == SN_MOTION_NONE)
        return SN_OK;
    for (int frame = sn_frames_start(source->frames); frame <= source->frames->last; frame++) {
        sn_affine pose = sn_moving_at(moving, frame);
        SN_TRY(check_pose(&pose, source, key_path, frame, reach));
    }
    return SN_OK;
}
