/* How bodies move when a shot starts.
 *
 * Each body moves as a rigid one, by the velocity that the scene gives it: that of its centre of
 * mass, and a turning about it. The centre is that of the nodes' masses, so linear and angular
 * momentum are exactly those of a rigid body of the same nodes. Sums are exact: the velocities have
 * the same bits on any number of ranks. */
#ifndef SN_MODEL_VELOCITIES_H
#define SN_MODEL_VELOCITIES_H

#include "io/scene/scene.h"
#include "octree/octree.h"

/* Collective. Fills the velocities of the owned nodes, whose positions are x; nodes that are pinned
 * get none: they go with their pins. Masses and the mask are those of the owned nodes. */
void sn_initial_velocities(const sn_scene *scene, const sn_octree *tree, const double *mass,
                           const uint8_t *pinned, const double (*x)[3], double (*v)[3]);

#endif
