/* A shot: a scene's bodies through its frames.
 *
 * Ties the parts together: the model and its octrees, materials and masses, pins, bones, the
 * multigrid system, the integrator, and the surface that the nodes carry along. Every frame is
 * certified by a row of numbers (io/frames/frames_csv.h). */
#ifndef SN_SHOT_SHOT_H
#define SN_SHOT_SHOT_H

#include "contact/contacts.h"
#include "io/frames/frames_csv.h"
#include "model/bones.h"
#include "model/materials.h"
#include "model/model.h"
#include "model/pins.h"
#include "solve/step.h"
#include "surface/deformed.h"
#include "surface/embed.h"

/* How far the last frame that was begun has come. */
typedef struct {
    int frame;
    int substeps; /* of it that are done */
    bool whole;   /* nothing is left of it */
    double from;  /* the time when it was begun */
    double seconds;
    sn_newton_result result; /* iterations are added up, and the worst residual counts */
} sn_frame_progress;

typedef struct {
    const sn_scene *scene; /* the caller's */
    sn_model model;
    sn_materials materials;
    sn_pins pins;
    sn_bones bones;
    sn_multigrid multigrid;
    sn_stepper stepper;
    sn_embedding embedding;
    sn_deformed surface;
    sn_contacts contacts;
    double (*vertex)[3]; /* this rank's embedded vertices now */
    double *pin_target;  /* room for the pins' positions */
    sn_frame_progress progress;
} sn_shot;

/* Collective. The shot must not move, and the scene must stay. After a failure there is nothing
 * to free. */
SN_CHECKED sn_status sn_shot_create(MPI_Comm comm, const sn_scene *scene, sn_shot *shot);
void sn_shot_free(sn_shot *shot);

/* Collective. One substep towards a frame; progress.whole tells when it is reached. The first
 * frame is where everything starts: a dynamic shot is at rest there, a quasistatic one in balance.
 * SN_INACCURATE, with the frame and the time in the message, if the substep failed: then the shot
 * is in its last good state. */
SN_CHECKED sn_status sn_shot_step(sn_shot *shot, int frame);

/* Collective. The row of the last frame that was begun, as it is now; the surface is moved. */
void sn_shot_certify(sn_shot *shot, sn_frame_row *row);

/* Collective. All the steps to a frame, or what is left of them, and its row, which after a
 * failure describes the last good state. */
SN_CHECKED sn_status sn_shot_advance(sn_shot *shot, int frame, sn_frame_row *row);

#endif
