/* Meshes that are one mesh in motion: a file for each frame.
 *
 * Knows how the files are named: a path with a # for each digit of the frame's number, as in
 * cloth_####.obj, the digits in one row in the file's own name and padded with zeros. The frames
 * of a sequence are those of the files that are there; none may be missing in between. All must
 * have the same vertices and faces, so formats that keep a file's vertices, OBJ and PLY, are the
 * ones to use. */
#ifndef SN_IO_MESH_SEQUENCE_H
#define SN_IO_MESH_SEQUENCE_H

#include "base/status.h"
#include "mesh/mesh.h"

typedef struct {
    char *pattern;
    size_t digits_at, n_digits; /* where the #s are in it */
    int64_t first, last;        /* numbers of the files */
} sn_mesh_sequence;

/* Serial: one rank calls these. Fails with one message if the pattern is none, there is no file
 * for it, or one is missing in between. */
SN_CHECKED sn_status sn_mesh_sequence_open(const char *pattern, sn_mesh_sequence *sequence);
void sn_mesh_sequence_free(sn_mesh_sequence *sequence);

/* Reads one frame; fails also if its vertices or faces are not those of `like`, unless that is
 * NULL. Polygons may be cut into triangles in another way: those of `like` count. */
SN_CHECKED sn_status sn_mesh_sequence_read(const sn_mesh_sequence *sequence, int64_t frame,
                                           const sn_mesh *like, sn_mesh *mesh);

#endif
