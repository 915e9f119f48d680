/* Motions: where a thing is at a frame, as an affine map of where it rests.
 *
 * Knows all kinds that a scene can name: key frames (keys.h), files (io/motion/read.h), and
 * built-in ones (builtin.h); hides which one it is and how files come to all ranks.
 *
 * A file's first frame stands at the scene's first frame, and its frames go by its own clock: its
 * frames a second against the scene's. Between its frames it is joined as io/motion/skeleton.h
 * says; after the last, and before the first, it is held. Its lengths and axes are made the scene's
 * (axes.h). What is moved stands as given in the rest pose: that of the file's `rest_frame`, its
 * frames counted from 1, or else that of the scene's first frame. Frame 0 of BVH and glTF files is
 * the hierarchy itself, joints by their OFFSETs and nothing turned, or nodes without an animation.
 * So the map is pose(frame) * pose(rest)^-1, and exactly the identity in the rest pose. In a glTF
 * file, which has seconds and no frames, frame 1 is at time 0 and `fps` counts to the rest frame
 * only. A built-in creature rests as its meshes stand, unless `rest_frame` says otherwise.
 *
 * Any motion can begin later or earlier than the shot, and go faster or slower. Before the shot's
 * first frame, in its preroll, things come from where they rest (lead_in.h): skeletons joint by
 * joint, so that joints stay together, all else along a screw. */
#ifndef SN_MOTION_MOTION_H
#define SN_MOTION_MOTION_H

#include "io/motion/skeleton.h"
#include "io/schema/origin.h"
#include "motion/builtin.h"
#include "motion/keys.h"
#include "motion/lead_in.h"
#include "motion/settings.h"

#include <mpi.h>

/* A file that was read for one motion and waits for the next that uses it. */
typedef struct {
    const sn_motion *asked; /* who read it first: which file, and how */
    sn_skeleton skeleton;
} sn_motion_file;

/* What all motions of a shot have in common. It begins with the caller's origin and frames only:
 *     sn_motion_source source = {.origin = &scene->origin, .frames = &scene->frames}; */
typedef struct {
    const sn_origin *origin; /* that has the motions: for messages, and the paths of files */
    const sn_frames *frames; /* of the shot */
    SN_VECTOR(sn_motion_file) files; /* read so far, each once; on rank 0 */
} sn_motion_source;
void sn_motion_source_free(sn_motion_source *source);

typedef struct {
    const sn_motion *settings; /* the caller's */
    const sn_frames *frames;   /* of the shot: the caller's */
    double step;               /* of the motion's clock in a frame of the scene */
    sn_skeleton chain;         /* of a file: the joint that moves the thing comes last */
    sn_builtin_motion builtin;
    double rest_time;          /* of a file's rest pose; NAN: its hierarchy's */
    sn_affine rest, from_rest; /* the rest pose and its inverse */
    bool is_placed;            /* what it moves was put elsewhere: */
    sn_affine place, from_place;
} sn_moving;

/* Collective. Rank 0 reads; all ranks get the same motion, or the same failure, which names the
 * scene's line, the file and what is wrong. `key_path` is where the origin has the motion, such as
 * bones[0].motion. The motion's settings must outlive source and motion. After a failure there is
 * nothing to free but the source. */
SN_CHECKED sn_status sn_motion_load(MPI_Comm comm, sn_motion_source *source, const char *key_path,
                                    const sn_motion *motion, sn_moving *moving);
void sn_moving_free(sn_moving *moving);

/* Collective. The same of a joint of a skeleton that rank 0 has: from where its hierarchy has it.
 * What the joint moves was put to its place in the scene by `place`, which can be undone. Of the
 * settings the clock counts. */
SN_CHECKED sn_status sn_motion_of_joint(MPI_Comm comm, sn_motion_source *source,
                                        const char *key_path, const sn_motion *settings,
                                        const sn_skeleton *skeleton, int joint,
                                        const sn_affine *place, sn_moving *moving);

/* The frame of a motion's own at a frame of the scene, before and after its `offset` and `speed`.
 */
double sn_motion_frame(const sn_motion *motion, const sn_frames *frames, double frame);

/* The map at a frame of the scene, which need not be whole. */
sn_affine sn_moving_at(const sn_moving *moving, double frame);

#endif
