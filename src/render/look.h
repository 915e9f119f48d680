/* The look that all pictures of a scene's surfaces share: paper, flesh, and a view from above
 * and in front. */
#ifndef SN_RENDER_LOOK_H
#define SN_RENDER_LOOK_H

#include "render/picture.h"

static const sn_background SN_PAPER = {{0xf7, 0xf8, 0xfa}, {0xd5, 0xdb, 0xe2}};
static const sn_colour SN_FLESH = {0xd6, 0xa8, 0x8f};

/* A camera that sees the whole box. */
static inline sn_camera sn_three_quarter_view(sn_box box, double aspect)
{
    static const double from[3] = {0.75, 0.35, 1.0}, up[3] = {0, 1, 0};
    const double field_of_view = 28; /* degrees */
    return sn_camera_frame(box, from, up, field_of_view, aspect);
}

#endif
