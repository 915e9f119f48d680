#include "io/text/temporary_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_first(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank == 0;
}

static sn_status make(const char *parent, char *path)
{
    int n = snprintf(path, SN_TEMPORARY_FOLDER_BYTES, "%s/sinew-XXXXXX", parent);
    if (n >= SN_TEMPORARY_FOLDER_BYTES)
        errno = ENAMETOOLONG;
    if (n >= SN_TEMPORARY_FOLDER_BYTES || !mkdtemp(path))
        return SN_FAIL(SN_MACHINE, "%.300s: no folder can be made in it: %s", parent,
                       strerror(errno));
    return SN_OK;
}

sn_status sn_temporary_folder_make(MPI_Comm comm, const char *parent, sn_temporary_folder *folder)
{
    *folder = (sn_temporary_folder){.comm = comm};
    SN_TRY(sn_agree(comm, is_first(comm) ? make(parent, folder->path) : SN_OK));
    MPI_Bcast(folder->path, sizeof folder->path, MPI_CHAR, 0, comm);
    return SN_OK;
}

void sn_temporary_folder_remove(const sn_temporary_folder *folder)
{
    MPI_Barrier(folder->comm); /* nobody uses it any more */
    DIR *directory = is_first(folder->comm) ? opendir(folder->path) : NULL;
    if (!directory)
        return;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(folder->path);
}
