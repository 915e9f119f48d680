/* Pins and bones as a step's sources of forces (solve/source.h): where they are at a time of the
 * shot. */
#ifndef SN_MODEL_SOURCES_H
#define SN_MODEL_SOURCES_H

#include "model/bones.h"
#include "model/pins.h"
#include "solve/source.h"

/* Moves the nodes that pins hold. */
typedef struct {
    const sn_pins *pins;     /* the caller's, as the clock */
    const sn_frames *frames; /* the shot's clock: its first frame is at time 0 */
    double (*target)[3];     /* room */
} sn_pin_source;

sn_pin_source sn_pin_source_create(const sn_pins *pins, const sn_frames *frames);
void sn_pin_source_free(sn_pin_source *source);

/* The source must stay where it is, as that of bones. */
sn_source sn_pin_source_of(sn_pin_source *source);

/* Moves the targets of the springs that tie flesh to bones, which are made once. */
typedef struct {
    const sn_bones *bones;   /* the caller's, as the next two */
    const sn_frames *frames; /* as above */
    sn_spring_set *ties;     /* the slot of the system that has them */
} sn_bone_source;

sn_source sn_bone_source_of(sn_bone_source *source);

/* Collective. Moves them to where they are at a time. */
SN_CHECKED sn_status sn_bone_source_move(const sn_bone_source *source, double time);

#endif
