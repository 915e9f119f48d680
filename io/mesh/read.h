/* Mesh files of any format.
 *
 * Chooses the reader by the file's extension. OBJ, PLY and STL are read here, so that the
 * vertices keep the file's own order and number, and so is glTF; everything else goes through
 * Assimp, in a process of its own (io/mesh/import.h). What
 * each reader promises about vertices stands in formats.h. */
#ifndef SN_IO_MESH_READ_H
#define SN_IO_MESH_READ_H

#include "base/status.h"
#include "mesh/mesh.h"

#include <stdbool.h>

/* Serial: one rank calls it. Every problem with the file is SN_BAD_INPUT and one message with
 * its name and the line, byte or face. On failure the mesh is empty. */
SN_CHECKED sn_status sn_mesh_read(const char *path, sn_mesh *mesh);

/* Whether a file's name is one of a format that has nothing but a mesh. */
bool sn_is_plain_mesh_file(const char *path);

#endif
