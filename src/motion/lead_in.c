#include "motion/lead_in.h"

#include "base/screw.h"

sn_lead_in sn_lead_in_at(const sn_frames *frames, double frame)
{
    double t = fmax(0, 1 - (frames->first - frame) / frames->preroll);
    return (sn_lead_in){sn_eased(t), frames->preroll * t * t * (1 - t)};
}

sn_affine sn_lead_in_pose(const sn_lead_in *way, const sn_affine *first, const sn_affine *ahead)
{
    sn_affine goal = sn_affine_mirrored(ahead, first);
    return sn_affine_screw(&goal, way->part);
}
