/* The frames in a run directory: surface_0001.vtkhdf, octree_0001.vtkhdf and so on, of the kinds
 * "surface" and "octree". */
#ifndef SN_IO_FRAMES_FILES_H
#define SN_IO_FRAMES_FILES_H

#include "base/status.h"

#include <stdbool.h>

enum { SN_FRAME_FILE_BYTES = 64 };

typedef struct {
    char text[SN_FRAME_FILE_BYTES];
} sn_frame_file;

/* The name of a frame's file, without its directory. */
sn_frame_file sn_frame_file_of(const char *kind, int frame);

/* The frame whose file has this name; false for all other files, half written ones too. */
bool sn_frame_of_file(const char *kind, const char *name, int *frame);

/* The numbers of the frames that the directory has, ascending; the caller frees them with
 * sn_free. None is no failure; a directory that can't be read is SN_BAD_INPUT. */
SN_CHECKED sn_status sn_frame_files_list(const char *run_dir, const char *kind, int **frames,
                                         int *n);

#endif
