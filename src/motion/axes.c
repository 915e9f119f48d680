#include "motion/axes.h"

static sn_affine turn_of(sn_up_axis up)
{
    switch (up) {
    case SN_UP_X:
        return (sn_affine){{{0, -1, 0, 0}, {1, 0, 0, 0}, {0, 0, 1, 0}}};
    case SN_UP_Z:
        return (sn_affine){{{1, 0, 0, 0}, {0, 0, 1, 0}, {0, -1, 0, 0}}};
    case SN_UP_Y:
        break;
    }
    return SN_IDENTITY;
}

sn_affine sn_motion_axes_pose(const sn_motion *motion, const sn_affine *pose)
{
    sn_affine turn = turn_of(motion->up), back = turn;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            back.row[i][j] = turn.row[j][i];
    sn_affine turned = sn_affine_after(pose, &back);
    turned = sn_affine_after(&turn, &turned);
    for (int i = 0; i < 3; i++)
        turned.row[i][3] *= motion->scale;
    return turned;
}

double sn_motion_fps(const sn_frames *frames, const sn_motion *motion, double fps_of_file)
{
    if (!isnan(motion->fps))
        return motion->fps;
    return isnan(fps_of_file) ? frames->fps : fps_of_file;
}
