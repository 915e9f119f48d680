/* Bones: surfaces that flesh is tied to by springs (section 8).
 *
 * A bone's surface is cut into small triangles, no longer than half a finest cell, and the middle
 * of each that lies in an element of the bone's body is a point to be tied. Points in the same
 * eighth of an element become one, at their mean place weighted by area, with the sum of their
 * areas: an element has 8 springs of a bone at most, however fine the bone's mesh. A spring's
 * stiffness is the bone's times its area: what the flesh feels does not depend on how the bone is
 * triangulated, nor, but for details smaller than elements, on the octree.
 *
 * A spring's target is where the bone's motion takes its point's place at rest. A bone may change
 * its shape, too: then it goes with the triangle that it is of. */
#ifndef SN_MODEL_BONES_H
#define SN_MODEL_BONES_H

#include "model/bone_list.h"
#include "model/bone_pieces.h"
#include "model/model.h"
#include "octree/hierarchy.h"
#include "system/system.h"

typedef struct {
    sn_bone_list list;      /* how each bone moves */
    sn_shared_mesh *rest;   /* of each that changes its shape: its mesh at rest */
    sn_bone_pieces *pieces; /* and what that is cut into */
    sn_spring_list springs; /* those of this rank's elements, with targets at rest */
} sn_bones;

/* Collective. Failures name file, line and key: a mesh that can't be read, a motion that can't be
 * evaluated, a bone that lies in no element of its body. After one there is nothing to free. The
 * scene must live as long as the bones. */
SN_CHECKED sn_status sn_bones_create(const sn_scene *scene, const sn_model *model, sn_bones *bones);
void sn_bones_free(sn_bones *bones);

/* Collective, before the springs are given away. Warns, with the number, if the shot begins with a
 * bone that is farther than a cell from where its flesh rests. */
SN_CHECKED sn_status sn_bones_warn_of_leaps(const sn_scene *scene, const sn_octree *tree,
                                            const sn_bones *bones);

/* Collective. Gives the springs to a slot of the system; the bones keep none. */
SN_CHECKED sn_status sn_bones_tie(sn_bones *bones, sn_system *system, int slot);

/* Collective. Targets, for a set made of the bones' springs, where the bones are at a frame, which
 * need not be whole. Fails only if meshes in sequence can't be read again. */
SN_CHECKED sn_status sn_bones_retarget(const sn_bones *bones, double frame, sn_spring_set *set);

#endif
