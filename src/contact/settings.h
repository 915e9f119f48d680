/* What a scene says about contact, with colliders and of flesh with flesh. */
#ifndef SN_CONTACT_SETTINGS_H
#define SN_CONTACT_SETTINGS_H

#include "motion/settings.h"
#include "region/settings.h"

#include <stdbool.h>

typedef struct {
    char *name;
    sn_shape shape; /* NONE only if the motion is a sequence */
    sn_motion motion;
    double stiffness, tangential_stiffness, friction;
} sn_collider;

typedef struct {
    bool enabled;
    double stiffness, tangential_stiffness, friction;
} sn_self_collision;

#endif
