#include "io/frames/files.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sn_frame_file sn_frame_file_of(const char *kind, int frame)
{
    sn_frame_file file;
    snprintf(file.text, sizeof file.text, "%s_%04d.vtkhdf", kind, frame);
    return file;
}

static int compare_frames(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

bool sn_frame_of_file(const char *kind, const char *name, int *frame)
{
    size_t length = strlen(kind);
    if (strncmp(name, kind, length) != 0 || sscanf(name + length, "_%d.", frame) != 1)
        return false;
    return strcmp(name, sn_frame_file_of(kind, *frame).text) == 0;
}

sn_status sn_frame_files_list(const char *run_dir, const char *kind, int **frames, int *n)
{
    DIR *directory = opendir(run_dir);
    if (!directory)
        return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the run directory: %s", run_dir,
                       strerror(errno));
    SN_VECTOR(int) found = {0};
    int frame;
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        if (sn_frame_of_file(kind, entry->d_name, &frame))
            sn_push(&found, frame);
    closedir(directory);
    if (found.count > 0)
        qsort(found.data, found.count, sizeof *found.data, compare_frames);
    *frames = found.data;
    *n = (int)found.count;
    return SN_OK;
}
