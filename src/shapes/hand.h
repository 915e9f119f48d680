/* A hand with closed fingers: what lies close together and is not joined.
 *
 * Knows the wrist at the ground y = 0, the fingers upward, side by side along x, the thumb at +x,
 * all of it about 1 m long at size 1. Hides how fingers come closer than the mesh is fine: they are
 * modelled spread, and the space between them is then made as narrow as is asked for. */
#ifndef SN_SHAPES_HAND_H
#define SN_SHAPES_HAND_H

#include "shapes/modelling/surface.h"

/* `gap` between neighbouring fingers, from their tips to the palm; `detail` cells lie along 1 m at
 * size 1. */
void sn_make_hand(double size, double gap, int detail, sn_surface *surface);

#endif
