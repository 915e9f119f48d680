/* A shot: a scene's bodies through its frames.
 *
 * Ties the parts together: the model and its octrees, the state, and the structure that is built
 * from the octrees to move the state on. Every frame is certified by a row of numbers
 * (io/frames/frames_csv.h). */
#ifndef SN_SHOT_SHOT_H
#define SN_SHOT_SHOT_H

#include "io/frames/frames_csv.h"
#include "shot/structure.h"

typedef struct {
    const sn_scene *scene; /* the caller's */
    sn_model model;
    sn_shot_state state;
    sn_structure built;
} sn_shot;

/* Collective. A shot is opened, which makes its octrees and a state at rest, and then built from
 * that state, or from another one that took its place: one that was read from a checkpoint. The
 * shot must not move, and the scene must stay. After a failure to open there is nothing to free;
 * after one to build the state is still there. */
SN_CHECKED sn_status sn_shot_open(MPI_Comm comm, const sn_scene *scene, sn_shot *shot);
SN_CHECKED sn_status sn_shot_build(sn_shot *shot);

/* Collective. Both, from rest. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_shot_create(MPI_Comm comm, const sn_scene *scene, sn_shot *shot);
void sn_shot_free(sn_shot *shot);

/* Collective. A shot that goes on where another one is, on the octrees of its own scene: cells may
 * have other sizes, and ranks another partition; bodies, frames, bones and colliders are the same.
 * The other one is left without state and structure, so that not both are held at once: only
 * freeing it is possible then. */
SN_CHECKED sn_status sn_shot_go_on(sn_shot *before, const sn_scene *scene, sn_shot *shot);

/* Collective. One substep towards a frame; progress.whole tells when it is reached. The first
 * frame is where everything starts: a dynamic shot has the velocities that its bodies were given, a
 * quasistatic one is in balance. SN_INACCURATE, with the frame and the time in the message, if the
 * substep failed: then the shot is in its last good state. SN_STOPPED if it was interrupted
 * (built.interrupt): then it is at the last step that was accepted, of the substep's or before it,
 * and progress knows how to go on. */
SN_CHECKED sn_status sn_shot_step(sn_shot *shot, int frame);

/* Collective. The row of the last frame that was begun, as it is now; the surface is moved. */
void sn_shot_certify(sn_shot *shot, sn_frame_row *row);

/* Collective. All the steps to a frame, or what is left of them, and its row, which after a
 * failure describes the last good state. */
SN_CHECKED sn_status sn_shot_advance(sn_shot *shot, int frame, sn_frame_row *row);

#endif
