/* A skeleton and its motion, as they came from a file: joints that hang on joints.
 *
 * Knows how a joint stands to its parent at any time, and hides how that was written. Every
 * joint has tracks for its shift, its turn and its stretch, each with keys at times of its own.
 * Between two keys shifts and stretches go linearly and turns the shortest way (spherical
 * interpolation), unless the track says otherwise; before its first and after its last key a track
 * is held. It is the places relative to the parents that are joined so: bones keep their length and
 * their joints at every time, and a skeleton without stretches is rigid, bone by bone.
 *
 * Lengths, axes and the clock are the file's own. Times count from 0, the file's first frame, and
 * are frames or, in files without frames, seconds. */
#ifndef SN_IO_MOTION_SKELETON_H
#define SN_IO_MOTION_SKELETON_H

#include "base/affine.h"
#include "base/array.h"

#include <mpi.h>
#include <stddef.h>

/* How keys are joined. Steps hold a key until the next. A spline has three rows a key: the slope
 * with which it comes, the value, and the slope with which it goes, in units of the value in one
 * of time; its turns are made unit quaternions afterwards (glTF 2.0, appendix C). */
typedef enum { SN_JOIN_LINEAR, SN_JOIN_STEP, SN_JOIN_SPLINE } sn_join;

/* n keys at ascending times. */
typedef struct {
    size_t n;
    sn_join join;
    double *time;  /* NULL: 0, 1, 2 ... */
    double *value; /* a row for each key, or three */
} sn_track;

/* What a track's row is: three numbers, a unit quaternion w x y z, three, or a 3x4 matrix. */
typedef enum { SN_TRACK_SHIFT, SN_TRACK_TURN, SN_TRACK_STRETCH, SN_TRACK_MATRIX } sn_track_kind;
enum { SN_N_TRACKS = 4 };
size_t sn_track_width(sn_track_kind kind);
/* How many numbers its values are. */
size_t sn_track_numbers(const sn_track *track, sn_track_kind kind);

typedef struct {
    char *name;
    int parent;     /* index of a joint before this one, or -1 */
    bool is_end;    /* only the end of its parent's bone; it cannot turn by itself */
    sn_affine rest; /* relative to the parent, as the hierarchy itself has it */
    /* First stretched, then turned, then shifted; or the matrix alone, whose entries go
     * linearly. Without any key the joint stays as it is at rest. */
    sn_track track[SN_N_TRACKS];
} sn_joint;

typedef struct {
    SN_VECTOR(sn_joint) joints;
    bool in_seconds; /* times are seconds, not frames */
    double fps;      /* frames a second; NAN if the file does not say */
    double last;     /* time of the last key */
} sn_skeleton;

void sn_skeleton_free(sn_skeleton *skeleton);

/* The first joint of that name; -1 if there is none. */
int sn_skeleton_find(const sn_skeleton *skeleton, const char *name);

/* Where the joint's own coordinates are at a time, in those of the file; and at rest. The
 * joint's position is the last column. */
sn_affine sn_skeleton_pose(const sn_skeleton *skeleton, int joint, double time);
sn_affine sn_skeleton_rest(const sn_skeleton *skeleton, int joint);

/* On the way from rest to the pose of a time, `start`. */
typedef struct {
    double rest;  /* the time of the pose at rest; NAN: as the hierarchy itself has it */
    double start; /* what is gone to, and */
    double ahead; /* a time after it: its pose is mirrored about that of start, and gone to */
    double part;  /* of the way: 0 at rest, 1 there */
} sn_skeleton_way;

/* Where the joint's own coordinates are on such a way. Every joint on which it hangs goes it
 * relative to its parent (base/screw.h), so that joints stay together. */
sn_affine sn_skeleton_pose_on_way(const sn_skeleton *skeleton, int joint,
                                  const sn_skeleton_way *way);

/* How far keys take the joint from its place relative to its parent at rest. */
double sn_joint_strays(const sn_joint *joint);

/* A skeleton of one joint and all that it hangs on; the joint itself comes last. */
sn_skeleton sn_skeleton_chain(const sn_skeleton *skeleton, int joint);

/* Collective: rank 0's becomes everybody's. What other ranks had there is overwritten. */
void sn_skeleton_share(MPI_Comm comm, sn_skeleton *skeleton);

#endif
