/* What a scene says about how a motion file is to be read. */
#ifndef SN_IO_MOTION_SETTINGS_H
#define SN_IO_MOTION_SETTINGS_H

/* What the position channels of a BVH file are to a joint's OFFSET. */
typedef enum { SN_BVH_ADDED, SN_BVH_INSTEAD } sn_bvh_positions;

#endif
