/* The checkpoints of a run directory: which one to go on from, writing the next, removing the old.
 * What they are called and which are kept is in run/retention.h. */
#ifndef SN_RUN_CHECKPOINTS_H
#define SN_RUN_CHECKPOINTS_H

#include "run/directory.h"
#include "run/retention.h"
#include "shot/checkpoint/checkpoint.h"

/* The path of a checkpoint in the scene's run directory. */
sn_run_path sn_checkpoint_path(const sn_scene *scene, const sn_checkpoint_name *name);

/* Not collective. Those that the directory has, the newest first; none if there is no directory.
 * The caller frees the list. */
SN_CHECKED sn_status sn_checkpoints_list(const sn_scene *scene, sn_checkpoint_list *list);

/* Collective, as all below. The newest checkpoint that is whole, with a warning for each newer one
 * that is not; or an older one, if files of frames since then are gone (run/missing.h). `found` is
 * false if there is none at all. Fails if all are damaged, or if what was found can't be gone on
 * from with this scene. */
SN_CHECKED sn_status sn_checkpoints_find(MPI_Comm comm, const sn_scene *scene, bool *found,
                                         sn_checkpoint_name *name);

/* The same among those of states before frame `from`. Fails if there is none. */
SN_CHECKED sn_status sn_checkpoints_find_before(MPI_Comm comm, const sn_scene *scene, int from,
                                                bool may_change, sn_checkpoint_name *name);

/* Removes those of this frame and later ones: others are about to take their place. */
SN_CHECKED sn_status sn_checkpoints_remove_from(MPI_Comm comm, const sn_scene *scene, int frame);

/* Writes where the shot is now, and when that is whole removes all but the last ones that the
 * scene wants to keep. */
SN_CHECKED sn_status sn_checkpoints_add(const sn_shot *shot, const sn_frame_rows *rows,
                                        sn_checkpoint_name *name);

#endif
