/* The child's end of the pipe of an import. Internal to the child (io/mesh/import.h). */
#ifndef SN_IO_MESH_ASSIMP_SEND_H
#define SN_IO_MESH_ASSIMP_SEND_H

#include <assimp/scene.h>
#include <stdbool.h>
#include <stddef.h>

/* The parent sees by a short stream that something went wrong. */
void sn_import_send(const void *data, size_t bytes);

/* The skeleton of a file, or a message about it. Texts may be empty: any skin, the first animation.
 * `motion`: no skin is asked for, but an animation. */
void sn_import_send_rig(const char *path, const struct aiScene *scene, const char *skin,
                        const char *animation, bool motion);
/* A message in its place. */
void sn_import_send_problem(const char *problem);

#endif
