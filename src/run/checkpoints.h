/* The checkpoints of a run directory: their names, which one to go on from, how many are kept.
 *
 *     checkpoint_0010.h5        frame 10 was reached
 *     checkpoint_0011_s02.h5    two substeps of frame 11 are done: a run was stopped there */
#ifndef SN_RUN_CHECKPOINTS_H
#define SN_RUN_CHECKPOINTS_H

#include "run/directory.h"
#include "shot/checkpoint/checkpoint.h"

/* What a name says; names sort by time. */
typedef struct {
    int frame, substeps;
    bool whole;
} sn_checkpoint_name;

typedef SN_VECTOR(sn_checkpoint_name) sn_checkpoint_list;

/* The path of a checkpoint in the scene's run directory. */
sn_run_path sn_checkpoint_path(const sn_scene *scene, const sn_checkpoint_name *name);

/* False for names of other files, half written checkpoints too. */
bool sn_checkpoint_name_read(const char *file, sn_checkpoint_name *name);

/* Not collective. Those that the directory has, the newest first; none if there is no directory.
 * The caller frees the list. */
SN_CHECKED sn_status sn_checkpoints_list(const sn_scene *scene, sn_checkpoint_list *list);

/* Collective, as all below. The newest checkpoint that is whole, with a warning for each newer one
 * that is not; `found` is false if there is none at all. Fails if all are damaged, or if what was
 * found can't be gone on from with this scene. */
SN_CHECKED sn_status sn_checkpoints_find(MPI_Comm comm, const sn_scene *scene, bool *found,
                                         sn_checkpoint_name *name);

/* Writes where the shot is now, and when that is whole removes all but the last ones that the
 * scene wants to keep. */
SN_CHECKED sn_status sn_checkpoints_add(const sn_shot *shot, const sn_frame_rows *rows,
                                        sn_checkpoint_name *name);

#endif
