/* Motions from files, each as a skeleton (io/motion/skeleton.h).
 *
 * BVH. A hierarchy (ROOT, JOINT, End Site, each with OFFSET and CHANNELS) and a line of numbers
 * for each frame. Rotation channels may come in any order and number: the first turns last, so
 * that `Zrotation Xrotation` is the matrix Z X. Files disagree about position channels: they are
 * either added to the joint's OFFSET or stand instead of it. An End Site is a joint called as
 * its parent with ".end" behind. A frame time that is, but for its last digits, that of a whole
 * number of frames a second is taken as exactly that.
 *
 * CSV. A line for each frame with the 12 numbers of a 3x4 matrix row by row, which takes points
 * of the moved thing to their place; between the numbers are commas, semicolons or blanks. Empty
 * lines and all from a # on are skipped, and so is a line of names before the first numbers. If
 * every matrix of the file is rigid (to 1e-4, as when it was written with few digits), it is
 * made exactly so and poses in between are rigid too; otherwise the entries go linearly.
 *
 * glTF, with nodes as joints and times in seconds. Keys are joined as their samplers say: in steps,
 * linearly (turns the shortest way), or by cubic splines. A node that is not moved in one way keeps
 * what the file gives it for that.
 *
 * Other formats with nodes, FBX and Collada among them, come through Assimp, which joins keys
 * linearly (assimp.h).
 *
 * Serial: one rank calls these. Every problem with a file is SN_BAD_INPUT and one message with
 * its name and, for text, the line. After a failure there is nothing to free. */
#ifndef SN_IO_MOTION_READ_H
#define SN_IO_MOTION_READ_H

#include "base/status.h"
#include "io/motion/settings.h"
#include "io/motion/skeleton.h"

SN_CHECKED sn_status sn_motion_read_bvh(const char *path, sn_bvh_positions positions,
                                        sn_skeleton *skeleton);
SN_CHECKED sn_status sn_motion_read_csv(const char *path, sn_skeleton *skeleton);
/* Of any file with nodes. `animation` is its name in the file; NULL: the first. */
SN_CHECKED sn_status sn_motion_read_gltf(const char *path, const char *animation,
                                         sn_skeleton *skeleton);

/* The same from text in memory; a zero byte must follow it. `name` is for messages. */
SN_CHECKED sn_status sn_motion_parse_bvh(const char *text, size_t bytes, const char *name,
                                         sn_bvh_positions positions, sn_skeleton *skeleton);
/* Changes the text. */
SN_CHECKED sn_status sn_motion_parse_csv(char *text, size_t bytes, const char *name,
                                         sn_skeleton *skeleton);

#endif
