/* Files of frames that a run has written and that are not there any more: lost, moved away, or
 * removed. A restart goes on from before them where a checkpoint allows it. */
#ifndef SN_RUN_MISSING_H
#define SN_RUN_MISSING_H

#include "io/scene/scene.h"
#include "io/text/name_list.h"

/* Not collective. Those of frames after `after` up to `upto` that a run of this scene writes. */
sn_name_list sn_missing_files(const sn_scene *scene, int after, int upto);

#endif
