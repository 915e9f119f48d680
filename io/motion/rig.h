/* A character's skeleton as it came from a file: at rest in its flesh, and how it moves.
 *
 * Its hierarchy is where the joints are in the pose in which the mesh was bound to them: by the
 * inverse bind matrices of a skin or, in a BVH file, by the OFFSETs. glTF and BVH files are read
 * here, all others, as FBX and Collada, through Assimp. Lengths and axes are the file's own.
 *
 * Serial, as read.h, with one message for each thing that is wrong. */
#ifndef SN_IO_MOTION_RIG_H
#define SN_IO_MOTION_RIG_H

#include "base/status.h"
#include "io/motion/settings.h"
#include "io/motion/skeleton.h"

/* A vertex of the character's mesh, and the joint that moves it most. */
typedef struct {
    int joint;
    double at[3];
} sn_rig_vertex;

typedef struct {
    sn_skeleton skeleton;
    bool *is_bone;                  /* of each joint: others only carry them */
    SN_VECTOR(sn_rig_vertex) flesh; /* by joints */
    size_t *first_vertex;           /* joints + 1: where each one's flesh begins */
} sn_rig;

/* By the ending of the name. `skin` and `animation` are names in the file; NULL: its only one, and
 * its first or none. What Assimp reads may have several skins that are bound to the same joints. */
SN_CHECKED sn_status sn_rig_read(const char *path, const char *skin, const char *animation,
                                 sn_bvh_positions positions, sn_rig *rig);
void sn_rig_free(sn_rig *rig);

/* Whether a name ends in .gltf or .glb, in .bvh. */
bool sn_is_gltf_file(const char *path);
bool sn_is_bvh_file(const char *path);

#endif
