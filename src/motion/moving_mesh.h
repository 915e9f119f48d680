/* A mesh that changes its shape from frame to frame, from a sequence of files.
 *
 * Knows where its vertices are at any frame: on a file's frame where the file has them, between
 * two linearly, before the first and after the last held. The first file stands at the scene's
 * first frame, and `fps` of them are a second, unless the motion's offset and speed say otherwise;
 * in a preroll the mesh comes from the first file. Hides that only the two files around the frame
 * are held, by rank 0, and that the mesh is held once a node. */
#ifndef SN_MOTION_MOVING_MESH_H
#define SN_MOTION_MOVING_MESH_H

#include "base/shared.h"
#include "io/mesh/sequence.h"
#include "mesh/shared.h"
#include "motion/motion.h"

#include <mpi.h>

typedef struct {
    sn_mesh view; /* read only: at the frame of the last sn_moving_mesh_pose, at first the first */
    MPI_Comm comm;
    const sn_motion *settings;
    const sn_frames *frames;   /* of the shot: the caller's */
    double step;               /* files in a frame of the scene */
    double shown;              /* the file, counted from 0, that the view is at */
    int64_t n_files;           /* that there are */
    sn_shared_mesh shape;      /* triangles and faces, and the vertices of the first file */
    sn_shared_block place;     /* vertices of the view */
    sn_mesh_sequence sequence; /* on rank 0, as are the files around the frame: */
    struct {
        int64_t number; /* from 0; -1: none */
        sn_mesh mesh;
    } loaded[2];
} sn_moving_mesh;

/* Collective. Every file that the scene's frames need is read and checked once. All ranks get
 * the same failure, which names the scene's line and the file. `key_path` is where the origin has
 * the motion, such as colliders[0].motion. The motion's settings must outlive it. After a failure
 * there is nothing to free. */
SN_CHECKED sn_status sn_moving_mesh_load(MPI_Comm comm, const sn_motion_source *source,
                                         const char *key_path, const sn_motion *motion,
                                         sn_moving_mesh *moving);
/* Collective. */
void sn_moving_mesh_free(sn_moving_mesh *moving);

/* Collective. Moves the view to a frame of the scene, which need not be whole. Fails if a file
 * can no longer be read as it was. */
SN_CHECKED sn_status sn_moving_mesh_pose(sn_moving_mesh *moving, double frame);

#endif
