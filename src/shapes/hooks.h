/* Two hooks that hold each other: separate solids that share cells where they catch.
 *
 *      |              Each is a round bar with half a ring at its end, rounded off at both ends.
 * The |   .-.        first one lies in the plane z = 0 with its ring below, the second one in x = 0
 *      |  |  |        with its ring above, through the ring of the first. Where they pass each
 * other
 *       `-'  |        is the origin. */
#ifndef SN_SHAPES_HOOKS_H
#define SN_SHAPES_HOOKS_H

#include "shapes/modelling/surface.h"

/* Bars, in parts of the size. */
#define SN_HOOK_THICK 0.06 /* radius of the bar */
#define SN_HOOK_RING 0.18  /* radius of the ring's axis */
#define SN_HOOK_SHANK 0.5  /* lengths of the straight parts before the ring */
#define SN_HOOK_LIP 0.08   /* and after it */

/* `gap` is the distance between the hooks; `detail` edges lie around a bar. */
void sn_make_hooks(double size, double gap, int detail, sn_surface *surface);

#endif
