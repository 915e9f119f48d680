/* Light on a surface: a key light from over the camera's shoulder, a weak fill from the other
 * side, and a sky that is brighter above than below. Nothing here depends on other geometry:
 * a rank does not know what the others hold. */
#ifndef SN_RENDER_SHADE_H
#define SN_RENDER_SHADE_H

#include "render/camera.h"
#include "render/colour.h"

/* `normal` of length 1, on the side that the viewer sees; `to_eye` of length 1. */
sn_colour sn_shade(const sn_view *view, sn_vector3 surface_light, sn_vector3 normal,
                   sn_vector3 to_eye);

#endif
