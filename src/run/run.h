/* A run of a scene: where it begins, its frames, what it leaves in the run directory.
 *
 * All that `sinew run` does once it has read its arguments and listens to signals (run/stop.h). The
 * status that comes back is the program's (base/status.h). */
#ifndef SN_RUN_RUN_H
#define SN_RUN_RUN_H

#include "io/scene/scene.h"

typedef struct {
    bool restart;     /* go on from the newest whole checkpoint, or start if there is none */
    int from;         /* with restart: from the newest that is before this frame; 0: any */
    bool may_change;  /* with from: the scene may differ from that frame on */
    bool overwrite;   /* write over another run's files; not together with restart */
    bool take_over;   /* from whatever run is said to hold the directory */
    bool preview;     /* a picture of the surface for each frame */
    bool dry_run;     /* build everything, simulate and write nothing */
    double max_hours; /* since the program was started; INFINITY for no limit */
} sn_run_options;

/* Collective. The scene's paths become absolute.
 * SN_STOPPED if the run was asked to stop and can be gone on with; SN_INACCURATE, naming the first
 * frame, if some missed the tolerance or one could not be solved. */
SN_CHECKED sn_status sn_run_scene(MPI_Comm comm, sn_scene *scene, const sn_run_options *options);

#endif
