/* Light on a surface: a key light from over the camera's shoulder, a weak fill from the other
 * side, and a sky that is brighter above than below. What other geometry keeps away of it is
 * the caller's to know. */
#ifndef SN_RENDER_SHADE_H
#define SN_RENDER_SHADE_H

#include "render/camera.h"
#include "render/colour.h"

/* How much of a light gets to a point, from 0 to 1. */
typedef struct {
    float key, sky;
} sn_visibility;

#define SN_OPEN ((sn_visibility){1, 1})

/* Of length 1, to the middle of the key light. */
sn_vector3 sn_key_direction(const sn_view *view);

/* The light that a surface of some colour sends to the eye, linear. `normal` of length 1, on the
 * side that the viewer sees; `to_eye` of length 1. */
sn_vector3 sn_shade(const sn_view *view, sn_vector3 surface_light, sn_vector3 normal,
                    sn_vector3 to_eye, sn_visibility visible);

/* The light that a level, dull ground gets, as a part of what it gets in the open. */
float sn_shade_ground(const sn_view *view, sn_vector3 normal, sn_visibility visible);

#endif
