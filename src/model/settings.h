/* What a scene says about bodies, what they are made of, and what holds them. */
#ifndef SN_MODEL_SETTINGS_H
#define SN_MODEL_SETTINGS_H

#include "base/array.h"
#include "elastic/settings.h"
#include "io/mesh/settings.h"
#include "io/schema/settings.h"
#include "motion/settings.h"
#include "region/settings.h"

/* A part of a body with another material; NAN: as the body, or as an earlier region. */
typedef struct {
    sn_shape region;
    double young, poisson, density, damping;
} sn_material_region;

typedef struct {
    sn_law_kind law; /* the same for all bodies */
    double young, poisson, density, damping;
    SN_VECTOR(sn_material_region) regions; /* where they overlap, a later one counts */
} sn_material;

/* How a body moves when the shot starts: as a rigid one. */
typedef struct {
    double linear[3];  /* of its centre of mass */
    double angular[3]; /* about it, in radians a second, right-handed */
} sn_body_velocity;

/* What counts of a cell that the surface cuts. */
typedef enum {
    SN_CUT_FRACTION, /* the part that is inside */
    SN_CUT_WHOLE,    /* all of it, as in the paper */
} sn_cut_cells;

/* What becomes of parts of a body that pass through one cell and are not joined there. */
typedef enum {
    SN_CLOSE_APART, /* each has a copy of the cell */
    SN_CLOSE_WELD,  /* the cell moves them together, as in the paper */
} sn_close_parts_rule;

typedef struct {
    char *name, *mesh;
    sn_placement place;
    double cell, coarsest; /* coarsest NAN: no limit */
    sn_cut_cells cut_cells;
    sn_close_parts_rule close_parts;
    double hourglass; /* a rule of elastic/settings.h */
    sn_material material;
    sn_body_velocity velocity;
} sn_body_settings;

typedef enum { SN_BONE_MESH = 1, SN_BONES_FROM } sn_bone_kind;

/* One bone, or all those of a character's skeleton. */
typedef struct {
    sn_bone_kind kind;
    char *name, *body; /* of a skeleton the name is NULL */
    char *mesh, *from; /* the one of its kind */
    char *skin;        /* of a glTF file; NULL: its only one */
    sn_pairs skip;     /* patterns */
    sn_placement place;
    sn_motion motion;
    sn_pairs retarget;  /* joints here, and joints of the motion's file */
    sn_pairs stiffness; /* by patterns */
} sn_bone;

typedef struct {
    char *name, *body;
    sn_shape region;
    sn_motion motion;
} sn_pin;

#endif
