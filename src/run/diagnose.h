/* What went wrong in a run, read from the files of its directory and said frame by frame. */
#ifndef SN_RUN_DIAGNOSE_H
#define SN_RUN_DIAGNOSE_H

#include "io/scene/scene.h"

/* Not collective. `scene` is that of the directory. Prints to standard output; SN_INACCURATE if
 * there are frames that are not to be trusted, as at the end of the run. */
SN_CHECKED sn_status sn_diagnose(const sn_scene *scene, const char *run_dir);

#endif
