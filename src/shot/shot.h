/* A shot: a scene's bodies through its frames.
 *
 * Ties the parts together: the model and its octrees, materials and masses, pins, bones, the
 * multigrid system, the integrator, and the surface that the nodes carry along. Every frame is
 * certified by a row of numbers (design.md, section 7). */
#ifndef SN_SHOT_SHOT_H
#define SN_SHOT_SHOT_H

#include "io/frames_csv.h"
#include "model/bones.h"
#include "model/deformed.h"
#include "model/embed.h"
#include "model/materials.h"
#include "model/model.h"
#include "model/pins.h"
#include "solve/step.h"

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
    double (*vertex)[3]; /* this rank's embedded vertices now */
    double *pin_target;  /* room for the pins' positions */
} sn_shot;

/* Collective. The shot must not move, and the scene must stay. After a failure there is nothing
 * to free. */
SN_CHECKED sn_status sn_shot_create(MPI_Comm comm, const sn_scene *scene, sn_shot *shot);
void sn_shot_free(sn_shot *shot);

/* Collective. Goes on to a frame (the first one is where everything starts: a dynamic shot is at
 * rest there, a quasistatic one in balance) and fills its row. SN_INACCURATE, with the frame
 * and the time in the message, if the frame could not be reached; then the row describes the last
 * good state. */
SN_CHECKED sn_status sn_shot_advance(sn_shot *shot, int frame, sn_frame_row *row);

#endif
