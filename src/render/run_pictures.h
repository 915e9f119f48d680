/* The frames of a run directory as pictures: render_0001.png ...
 *
 * Ranks share out the frames; a rank holds one frame at a time. One camera is for all of them. */
#ifndef SN_RENDER_RUN_PICTURES_H
#define SN_RENDER_RUN_PICTURES_H

#include "io/scene/scene.h"

typedef struct {
    const char *run_dir;
    const char *frames; /* such as "7" or "1-48,60"; NULL: all */
    const char *output; /* the folder, made if it is not there; NULL: render in the run directory */
} sn_render_wanted;

/* Collective. `scene` is the one of the run directory. Frames that were written stay when another
 * one fails. */
SN_CHECKED sn_status sn_render_run(MPI_Comm comm, const sn_scene *scene,
                                   const sn_render_wanted *wanted);

#endif
