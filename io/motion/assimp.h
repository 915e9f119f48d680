/* Skeletons of formats that Assimp reads, FBX and Collada among them, from the process that reads
 * them (io/mesh/import.h). What comes is checked as a file is. Internal to this folder. */
#ifndef SN_IO_MOTION_ASSIMP_H
#define SN_IO_MOTION_ASSIMP_H

#include "io/mesh/import_child.h"
#include "io/motion/skeleton.h"

/* What comes of a joint beside the skeleton's. */
typedef struct {
    bool is_bone;
    sn_affine bound;
} sn_assimp_joint;

typedef struct {
    sn_import_child child;
    sn_skeleton *skeleton;
    SN_VECTOR(sn_assimp_joint) joints;
    uint64_t n_vertices; /* that follow */
    bool whole;
} sn_assimp_stream;

/* Starts the process and takes nodes and their tracks; vertices may be received then. It must be
 * ended, after a failure too, unless it could not be started: then `child.pipe` is NULL. */
SN_CHECKED sn_status sn_assimp_receive_joints(const char *option, const char *path,
                                              const char *skin, const char *animation,
                                              sn_assimp_stream *stream);
/* With the status so far. Frees all but the skeleton. */
SN_CHECKED sn_status sn_assimp_end(sn_assimp_stream *stream, sn_status status);

/* As sn_motion_read_gltf. */
SN_CHECKED sn_status sn_motion_read_assimp(const char *path, const char *animation,
                                           sn_skeleton *skeleton);

#endif
