/* The creature's skeleton: what bones it has, where they lie at rest, and how they walk.
 *
 * Knows the joints and the tree they form; hides the gait. All positions fit the flesh of
 * creature.h at the same size. A bone is a closed mesh of a few hundred triangles. */
#ifndef SN_SHAPES_CREATURE_BONES_H
#define SN_SHAPES_CREATURE_BONES_H

#include "shapes/modelling/surface.h"

int sn_creature_bone_count(void);
const char *sn_creature_bone_name(int bone);

/* The bone of that name; -1 if there is none. */
int sn_creature_bone_find(const char *name);

/* The bone that this one hangs on; -1 for the pelvis, which carries all others. A parent comes
 * before its children. */
int sn_creature_bone_parent(int bone);

/* Where a bone meets its parent, at rest. */
sn_vec sn_creature_bone_joint(int bone, double size);

/* The bone's mesh at rest. */
void sn_make_creature_bone(int bone, double size, sn_surface *surface);

/* How a bone moves from its rest to its place in a walk: a rigid 3x4 matrix, row by row, periodic
 * in `cycle` with period 1. The creature walks in place; a caller who moves it forward by
 * sn_creature_stride in each cycle sees the feet stand still on the ground. */
void sn_creature_walk(int bone, double cycle, double size, double affine[12]);
double sn_creature_stride(double size);

#endif
