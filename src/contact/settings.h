/* What a scene says about contact, with colliders and of flesh with flesh. */
#ifndef SN_CONTACT_SETTINGS_H
#define SN_CONTACT_SETTINGS_H

#include "motion/settings.h"
#include "region/settings.h"

#include <stdbool.h>

/* Chosen by the flesh. */
#define SN_PRESSURE_AUTO (-1.0)

/* Pressures are for a unit of depth, or of way along the surface; stiffnesses are forces for the
 * same, on the area of a finest cell's face. Of the first two one is NAN, of the next two at least
 * one: see contact/stiffness/stiffness.h. */
typedef struct {
    double pressure, stiffness;
    double tangential_pressure, tangential_stiffness;
    double friction;
} sn_contact_law;

typedef struct {
    char *name;
    sn_shape shape; /* NONE only if the motion is a sequence */
    sn_motion motion;
    sn_contact_law law;
} sn_collider;

typedef struct {
    bool enabled;
    sn_contact_law law;
} sn_self_collision;

#endif
