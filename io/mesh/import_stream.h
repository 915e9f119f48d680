/* What comes through the pipe of an import. Both ends are the same program on the same machine.
 *
 * Of a mesh: a head, then vertices, their uvs if there are any, the number of corners of every
 * face, and the corners. Of a skeleton: a head, then each joint with its name, its keys (times in
 * seconds, then values as a track of io/motion/skeleton.h has them), and the vertices that the
 * skin's joints move. Or a message of so many bytes if it failed. */
#ifndef SN_IO_MESH_IMPORT_STREAM_H
#define SN_IO_MESH_IMPORT_STREAM_H

#include <stdint.h>

/* How a process is told that it is to import the file that the next argument names; of skeletons
 * the names of a skin and of an animation follow, or empty words. */
#define SN_IMPORT_MESH "--import-mesh"
#define SN_IMPORT_RIG "--import-rig"
#define SN_IMPORT_MOTION "--import-motion"

/* Of vertices, faces and corners each. Render meshes have some millions; these take a few GB. */
enum { SN_IMPORT_MOST = 1 << 27 };

typedef struct {
    uint64_t message_bytes; /* 0: all is well */
    uint64_t n_vertices, n_faces, n_corners;
    uint64_t has_uvs; /* then every vertex has a place in the texture */
} sn_import_head;

enum { SN_IMPORT_MOST_JOINTS = 1 << 16, SN_IMPORT_MOST_NAME = 1 << 10, SN_IMPORT_TRACKS = 3 };

typedef struct {
    uint64_t message_bytes;
    uint64_t n_joints, n_vertices;
} sn_import_rig_head;

typedef struct {
    int64_t parent;
    uint64_t name_bytes;
    uint64_t is_bone; /* a joint of the skin, that rests at `bound` in the scene */
    uint64_t n_keys[SN_IMPORT_TRACKS];
    double local[12], bound[12];
} sn_import_joint;

typedef struct {
    int64_t joint;
    double at[3];
} sn_import_vertex;

#endif
