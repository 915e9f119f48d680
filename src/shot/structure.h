/* What is built from the octrees to move a shot's state on: all that a checkpoint does not hold.
 *
 * Materials, pins and bones of the elements; the system with its coarser levels, the
 * preconditioner, the method and the integrator; the surface that the nodes carry along; contacts,
 * and with them the sources of forces in their order. It can be thrown away and built anew from a
 * state, on the same octrees or on others that the state has been brought to. */
#ifndef SN_SHOT_STRUCTURE_H
#define SN_SHOT_STRUCTURE_H

#include "contact/contacts.h"
#include "model/materials.h"
#include "model/model.h"
#include "model/sources.h"
#include "multigrid/multigrid.h"
#include "shot/state.h"
#include "solve/interrupt.h"
#include "solve/step.h"
#include "surface/deformed.h"
#include "surface/embed.h"

typedef struct {
    sn_materials materials;
    sn_pins pins;
    sn_bones bones;

    sn_system system;
    sn_levels levels;
    sn_multigrid multigrid;
    sn_interrupt interrupt; /* none, until somebody sets it */
    sn_method method;

    sn_embedding embedding;
    sn_deformed surface;
    double (*vertex)[3]; /* this rank's embedded vertices now */

    sn_contacts contacts;
    sn_pin_source pin_source;
    sn_bone_source bone_source;
    sn_sources sources;                    /* pins, then bones, contacts and stays */
    int tie_slot, contact_slot, stay_slot; /* of the system's springs; -1: there are none */
    sn_stepper stepper;
} sn_structure;

/* Collective. Scene, model and state must stay where they are, and so must the structure. A state
 * of before the first frame gets its contacts and the velocities that bodies start with. After a
 * failure there is nothing to free. */
SN_CHECKED sn_status sn_structure_create(const sn_scene *scene, sn_model *model,
                                         sn_shot_state *state, sn_structure *structure);
void sn_structure_free(sn_structure *structure);

/* The springs that tie flesh to bones; an empty set if there are none. */
sn_spring_set *sn_structure_ties(sn_structure *structure);

/* Those of contacts, as the last search has found them; an empty set if there can't be any. */
sn_spring_set *sn_structure_touches(sn_structure *structure);

/* Those that hold nodes of slivers (model/stays.h). */
sn_spring_set *sn_structure_stays(sn_structure *structure);

#endif
