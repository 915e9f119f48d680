/* A skeleton put into the pose in which its flesh was bound to it. Internal to this folder. */
#ifndef SN_IO_MOTION_BIND_H
#define SN_IO_MOTION_BIND_H

#include "io/motion/rig.h"

/* Of rigs so many vertices and joints are taken. */
enum { SN_RIG_MOST_FLESH = 1 << 22, SN_RIG_MOST_JOINTS = 4096 };

/* A joint's place in its skeleton, and where it was bound, in the coordinates of the file. */
typedef struct {
    size_t n;
    const int *joint;
    const sn_affine *rest;
} sn_binding;

/* The rig has the skeleton as its nodes stand. Marks its bones, and makes its rest pose that of the
 * binding; what is above and beside is where its node is. Where an animation moves something, all
 * else is held where it stands. `path` is for messages: fails if the animation moves no joint of
 * these, and if something flattens space. */
SN_CHECKED sn_status sn_rig_bind(const char *path, const sn_binding *binding, sn_rig *rig);

bool sn_joint_is_moved(const sn_joint *joint);

/* The readers of rig.h, by formats. */
SN_CHECKED sn_status sn_rig_read_gltf(const char *path, const char *skin, const char *animation,
                                      sn_rig *rig);
SN_CHECKED sn_status sn_rig_read_assimp(const char *path, const char *skin, const char *animation,
                                        sn_rig *rig);

#endif
