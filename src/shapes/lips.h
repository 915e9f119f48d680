/* A ball with a mouth: lips that nearly touch, joined at its corners only.
 *
 * Knows the ball around the origin with a radius of half the size, the mouth at +z, as wide along x
 * as the lips are, and the hollow behind them. Hides how lips come closer than the mesh is fine:
 * they are modelled open, and what is between them is then made as narrow as is asked for. */
#ifndef SN_SHAPES_LIPS_H
#define SN_SHAPES_LIPS_H

#include "shapes/modelling/surface.h"

/* `gap` between the lips; `detail` cells lie along the ball's diameter. */
void sn_make_lips(double size, double gap, int detail, sn_surface *surface);

#endif
