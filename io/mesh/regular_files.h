/* What Assimp may open: regular files, for reading. A mesh can name others, and one that names a
 * pipe or a device would make a reader wait, or read, for ever. */
#ifndef SN_IO_MESH_REGULAR_FILES_H
#define SN_IO_MESH_REGULAR_FILES_H

#include <assimp/cfileio.h>

/* For aiImportFileEx. */
struct aiFileIO sn_regular_files(void);

#endif
