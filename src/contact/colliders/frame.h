/* Points and directions in the frame of a collider, and back: by a rigid motion, so that distances
 * and angles are the same there. */
#ifndef SN_CONTACT_COLLIDERS_FRAME_H
#define SN_CONTACT_COLLIDERS_FRAME_H

#include "base/vec3.h"
#include "motion/motion.h"

static inline sn_vec sn_collider_into_frame(const sn_affine *pose, sn_vec x)
{
    sn_vec r = {x.x - pose->row[0][3], x.y - pose->row[1][3], x.z - pose->row[2][3]};
    return (sn_vec){pose->row[0][0] * r.x + pose->row[1][0] * r.y + pose->row[2][0] * r.z,
                    pose->row[0][1] * r.x + pose->row[1][1] * r.y + pose->row[2][1] * r.z,
                    pose->row[0][2] * r.x + pose->row[1][2] * r.y + pose->row[2][2] * r.z};
}

static inline sn_vec sn_collider_turned(const sn_affine *pose, sn_vec a)
{
    return (sn_vec){pose->row[0][0] * a.x + pose->row[0][1] * a.y + pose->row[0][2] * a.z,
                    pose->row[1][0] * a.x + pose->row[1][1] * a.y + pose->row[1][2] * a.z,
                    pose->row[2][0] * a.x + pose->row[2][1] * a.y + pose->row[2][2] * a.z};
}

static inline sn_vec sn_collider_out_of_frame(const sn_affine *pose, sn_vec y)
{
    sn_vec a = sn_collider_turned(pose, y);
    return (sn_vec){a.x + pose->row[0][3], a.y + pose->row[1][3], a.z + pose->row[2][3]};
}

#endif
