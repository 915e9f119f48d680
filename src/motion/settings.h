/* What a scene says about its frames, and about how a thing moves through them. */
#ifndef SN_MOTION_SETTINGS_H
#define SN_MOTION_SETTINGS_H

#include "base/array.h"
#include "io/mesh/settings.h"
#include "io/motion/settings.h"

typedef struct {
    int first, last;
    double fps;
    int substeps;
    int preroll; /* frames before the first in which things go there from their rest poses */
} sn_frames;

/* Where a shot begins: everything is at rest. */
static inline int sn_frames_start(const sn_frames *frames)
{
    return frames->first - frames->preroll;
}

/* The pose at a frame: either affine (rows of 3x4; affine[0] is NAN if it was not given), or
 * first turned and then translated. */
typedef struct {
    double frame;
    double translate[3];
    sn_rotation rotate;
    double affine[12];
} sn_motion_key;

typedef enum {
    SN_MOTION_NONE, /* held still */
    SN_MOTION_KEYS,
    SN_MOTION_BVH,
    SN_MOTION_GLTF,
    SN_MOTION_CSV,
    SN_MOTION_SEQUENCE,
    SN_MOTION_BUILTIN,
} sn_motion_kind;

/* How keys are joined: at constant speed, or standing still on every key. */
typedef enum { SN_EASE_LINEAR, SN_EASE_SMOOTH } sn_ease;

typedef enum { SN_UP_X, SN_UP_Y, SN_UP_Z } sn_up_axis;

typedef struct {
    sn_motion_kind kind;
    SN_VECTOR(sn_motion_key) keys;               /* frames ascend */
    sn_ease ease;                                /* of keys */
    char *bvh, *gltf, *csv, *sequence, *builtin; /* the one of its kind */
    char *joint, *node;                          /* never NULL where they apply */
    char *animation;                             /* of a glTF file; NULL: the first */
    sn_bvh_positions positions;
    double scale;
    sn_up_axis up;
    double fps;        /* of the file; NAN: what the file says, or the scene's */
    double offset;     /* frames of the scene by which it begins later */
    double speed;      /* so many times faster than it says */
    double rest_frame; /* of the file, from 1; 0: its hierarchy; NAN: the scene's first frame */
} sn_motion;

#endif
