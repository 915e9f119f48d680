/* A bowl: half a hollow ball with a rounded rim, open upward, standing on y = 0. */
#ifndef SN_SHAPES_BOWL_H
#define SN_SHAPES_BOWL_H

#include "shapes/modelling/surface.h"

/* `radius` is that of the hollow; `detail` edges lie along a quarter of its great circle, at most
 * SN_BOWL_MOST_DETAIL. */
enum { SN_BOWL_MOST_DETAIL = 64 };
void sn_make_bowl(double radius, double thickness, int detail, sn_surface *surface);

#endif
