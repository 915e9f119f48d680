/* Colours: eight bits of sRGB in files and tables, linear light where they are mixed. */
#ifndef SN_RENDER_COLOUR_H
#define SN_RENDER_COLOUR_H

#include "render/vector.h"

#include <stdint.h>

typedef struct {
    uint8_t r, g, b;
} sn_colour;

enum { SN_LEVEL_COLOURS = 17 }; /* heights 0 to 16: all that 16-bit anchors allow */

/* The colour of cells of a height: from blue for the finest over green and yellow to dark red at
 * height 9; the rare heights beyond are purples that fade to grey. Neighbours differ in
 * lightness as well as in hue: rising from height 0 to 4, falling to 10, rising again. */
sn_colour sn_level_colour(int height);

/* The colour of a value, from 0 to 1: from dark blue over green to pale yellow, lighter all the
 * way. What is not a number is grey. */
sn_colour sn_value_colour(double value);

/* Linear light, 0 to 1 a channel, and back. */
sn_vector3 sn_colour_to_light(sn_colour colour);
sn_colour sn_light_to_colour(sn_vector3 light);

/* The same, but rounded up or down by a chance from 0 to 1: a slow gradient without steps. */
sn_colour sn_light_to_dithered(sn_vector3 light, float chance);

#endif
