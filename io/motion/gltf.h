/* A glTF file's nodes as the joints of a skeleton. Internal to this folder. */
#ifndef SN_IO_MOTION_GLTF_H
#define SN_IO_MOTION_GLTF_H

#include "io/gltf/nodes.h"
#include "io/motion/skeleton.h"

/* Joints are in the order of sn_gltf_list_nodes. `animation` is its name, or NULL for the first;
 * where one is not needed there may be none. After a failure the skeleton must still be freed. */
SN_CHECKED sn_status sn_motion_skeleton_of_gltf(sn_gltf *gltf, const char *animation, bool needed,
                                                sn_skeleton *skeleton);

#endif
