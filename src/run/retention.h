/* Which checkpoints a run writes and which it keeps, told from names alone.
 *
 *     checkpoint_0010.h5        frame 10 was reached
 *     checkpoint_0011_s02.h5    two substeps of frame 11 are done: a run was stopped there
 *
 * Nothing here touches a file. */
#ifndef SN_RUN_RETENTION_H
#define SN_RUN_RETENTION_H

#include "base/array.h"

#include <stdbool.h>

/* What a name says. */
typedef struct {
    int frame, substeps; /* no substeps of a whole frame are counted */
    bool whole;
} sn_checkpoint_name;

typedef SN_VECTOR(sn_checkpoint_name) sn_checkpoint_list;

typedef struct {
    char text[64];
} sn_checkpoint_file;

sn_checkpoint_file sn_checkpoint_file_of(const sn_checkpoint_name *name);

/* False for names of other files, half written checkpoints too. */
bool sn_checkpoint_name_read(const char *file, sn_checkpoint_name *name);

/* Positive if `a` is of an earlier state than `b`, for qsort: the newest comes first. */
int sn_checkpoint_newest_first(const void *a, const void *b);

/* Whether a checkpoint follows this frame, if there is one every so many; 0 for none. */
bool sn_checkpoint_is_due(int frame, int every);

/* Leaves in `list`, which has the newest first, those that are to be removed once `written` is
 * whole: all but the newest `keep`, counted from `written` on, and all that are newer. Those are
 * damaged, or frames before them were lost: the run went on from an older one. */
void sn_checkpoints_to_remove(sn_checkpoint_list *list, const sn_checkpoint_name *written,
                              int keep);

#endif
