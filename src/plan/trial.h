/* A few frames of the scene itself, to measure what can't be counted.
 *
 * A scene with more elements than a trial should have is tried with larger cells: iterations and
 * the work for an element depend little on them. Known afterwards: rates on this machine, how many
 * iterations a frame takes, and how the memory that a rank really had at its peak compares with
 * what is counted for it. */
#ifndef SN_PLAN_TRIAL_H
#define SN_PLAN_TRIAL_H

#include "io/scene/scene.h"
#include "multigrid/multigrid.h"
#include "plan/weigh.h"

#define SN_TRIAL_ELEMENTS 50000
#define SN_TRIAL_FRAMES 2

/* A trial ends before most of a shot's contacts are there. */
#define SN_USUAL_CONTACT_SHARE 0.05

typedef struct {
    int frames;
    double contact_share; /* of the surface's vertices that will touch something at once */
} sn_trial_settings;

typedef struct {
    double larger; /* cells are so many times those of the scene */
    int64_t elements;
    int ranks, threads, frames;
    double newton, linear; /* iterations a frame */
    double seconds;        /* a frame */
    double cycle_seconds;  /* of these, in multigrid cycles */

    sn_multigrid_settings multigrid;
    sn_law_kind law;
    bool single, damped;
    double contact_share; /* assumed for the shot */
    sn_weights_of_shot weights;
    double build_bytes;  /* the peaks of arrays until the first frame, all ranks together */
    double array_bytes;  /* and in frames after it */
    double other_bytes;  /* the peak of the process beyond that, shared blocks included */
    double shared_bytes; /* once a node */
} sn_trial;

/* Collective. `elements` is what the scene has; the scene is as before afterwards. `inspect` is
 * called with the trial's hierarchy while it is there. */
typedef sn_status sn_trial_inspector(void *context, const sn_trial *trial, sn_hierarchy *forest);

SN_CHECKED sn_status sn_trial_run(MPI_Comm comm, sn_scene *scene, int64_t elements,
                                  const sn_trial_settings *settings, sn_trial_inspector *inspect,
                                  void *context, sn_trial *trial);

#endif
