/* The state of a shot: exactly what a checkpoint holds of it, and all that its next frames depend
 * on beside the scene and its octrees. What is built from these is in structure.h. */
#ifndef SN_SHOT_STATE_H
#define SN_SHOT_STATE_H

#include "contact/memory.h"
#include "model/model.h"
#include "solve/state.h"
#include "solve/step.h"

/* How far the last frame that was begun has come. */
typedef struct {
    int frame;
    int substeps;    /* of it that are done */
    bool whole;      /* nothing is left of it */
    double from;     /* the time when it was begun */
    sn_step_way way; /* what is left of a substep that was given up in between */
    double seconds;
    sn_step_result result; /* iterations are added up; the worst residual and friction count */
} sn_frame_progress;

typedef struct {
    sn_state nodes;
    sn_contact_memory contacts;
    sn_frame_progress progress;
} sn_shot_state;

/* At rest where the octree's nodes are, before the frame where the shot begins. */
sn_shot_state sn_shot_state_at_rest(const sn_octree *tree, const sn_frames *frames);
void sn_shot_state_free(sn_shot_state *state);

/* Collective. The same state on another model of the same bodies: its nodes are where the elements
 * of the first one take their places at rest (resample.h); contacts and progress are handed over.
 * `from` is left without them. */
SN_CHECKED sn_status sn_shot_state_move(sn_shot_state *from, sn_model *from_model,
                                        const sn_model *model, sn_shot_state *state);

#endif
