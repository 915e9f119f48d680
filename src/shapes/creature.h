/* The creature: a bulky four-legged animal of flesh, blended from implicit parts.
 *
 * Knows where each part of its body lies: x forward, y up from the ground, z to its right, 2 m
 * from tail to muzzle at size 1, mirrored in z. Hides the parts; what others need is the value
 * of the blended whole, for instance to see that bones lie inside. */
#ifndef SN_SHAPES_CREATURE_H
#define SN_SHAPES_CREATURE_H

#include "shapes/modelling/implicit.h"
#include "shapes/modelling/surface.h"

typedef struct sn_creature sn_creature;

sn_creature *sn_creature_new(void);
void sn_creature_free(sn_creature *creature);

/* Negative inside the creature of size 1, about the distance to its skin near it. */
double sn_creature_value(const sn_creature *creature, sn_vec at);

/* The same as a shape to polygonise; valid as long as the creature is. */
sn_implicit sn_creature_implicit(const sn_creature *creature);

/* `detail` cells lie along 2 m at size 1. */
void sn_make_creature(double size, int detail, sn_surface *surface);

#endif
