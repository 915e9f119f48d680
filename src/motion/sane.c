#include "motion/sane.h"

#include <math.h>

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
    for (int frame = source->frames->first; frame <= source->frames->last; frame++) {
        sn_affine pose = sn_moving_at(moving, frame);
        SN_TRY(check_pose(&pose, source, key_path, frame, reach));
    }
    return SN_OK;
}
