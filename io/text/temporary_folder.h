/* A folder for files that nobody is to keep. */
#ifndef SN_IO_TEXT_TEMPORARY_FOLDER_H
#define SN_IO_TEXT_TEMPORARY_FOLDER_H

#include "base/status.h"

#include <mpi.h>

enum { SN_TEMPORARY_FOLDER_BYTES = 1024 };

typedef struct {
    MPI_Comm comm;
    char path[SN_TEMPORARY_FOLDER_BYTES];
} sn_temporary_folder;

/* Collective. A new folder in `parent`, which all ranks see. After a failure there is nothing to
 * remove. */
SN_CHECKED sn_status sn_temporary_folder_make(MPI_Comm comm, const char *parent,
                                              sn_temporary_folder *folder);

/* Collective. With all files in it. */
void sn_temporary_folder_remove(const sn_temporary_folder *folder);

#endif
