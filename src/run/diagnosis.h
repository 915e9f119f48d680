/* A run's own account of what went wrong in its frames: into the log and into diagnosis.csv, frame
 * by frame. Nothing is made before something goes wrong. */
#ifndef SN_RUN_DIAGNOSIS_H
#define SN_RUN_DIAGNOSIS_H

#include "render/props.h"
#include "run/faults.h"
#include "shot/shot.h"

typedef struct {
    sn_shot *shot;    /* the caller's */
    sn_scene seen;    /* its scene, with bones to be looked at; all of it is the scene's */
    bool has_props;   /* they could be made: */
    bool asked_props; /* or not */
    sn_props props;
    bool kept; /* rank 0 has the faults of frames before this run went on: */
    sn_fault_list faults;
} sn_diagnosis;

/* Not collective, nor the next. */
sn_diagnosis sn_diagnosis_of(sn_shot *shot);

/* Collective. The frame that the shot is in has inverted elements, or could not be solved. */
SN_CHECKED sn_status sn_diagnosis_add(sn_diagnosis *diagnosis, bool unsolved);

/* Collective. */
void sn_diagnosis_free(sn_diagnosis *diagnosis);

/* Collective. A run begins after this frame: the file keeps what it says of those before, and goes
 * if it says nothing of them. */
SN_CHECKED sn_status sn_diagnosis_begin(MPI_Comm comm, const sn_scene *scene, int last_frame);

#endif
