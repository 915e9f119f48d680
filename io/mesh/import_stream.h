/* What comes through the pipe of an import: a head, then vertices, their uvs if there are any, the
 * number of corners of every face, and the corners; or a message of so many bytes if it failed.
 * Both ends are the same program on the same machine. */
#ifndef SN_IO_MESH_IMPORT_STREAM_H
#define SN_IO_MESH_IMPORT_STREAM_H

#include <stdint.h>

/* How a process is told that it is to import the file that the next argument names. */
#define SN_IMPORT_OPTION "--import-mesh"

/* Of vertices, faces and corners each. Render meshes have some millions; these take a few GB. */
enum { SN_IMPORT_MOST = 1 << 27 };

typedef struct {
    uint64_t message_bytes; /* 0: all is well */
    uint64_t n_vertices, n_faces, n_corners;
    uint64_t has_uvs; /* then every vertex has a place in the texture */
} sn_import_head;

#endif
