/* A character's skeleton in its flesh: what bones it has, and how they move. Rank 0's alone, and
 * serial; bone_list.h says what comes of it. */
#ifndef SN_MODEL_CHARACTER_H
#define SN_MODEL_CHARACTER_H

#include "io/motion/rig.h"
#include "model/bone_list.h"
#include "model/flesh_around.h"

typedef struct {
    const sn_scene *scene;
    size_t entry; /* of the scene's bones */
    sn_rig rig;   /* with the motion that it shall have */
    sn_affine place;
    bool moves_as_one; /* by keys of the scene, not by the rig */
} sn_character;

/* Failures name file, line and key. After one there is nothing to free. */
SN_CHECKED sn_status sn_character_read(const sn_scene *scene, size_t entry,
                                       sn_character *character);
void sn_character_free(sn_character *character);

/* The joint of this name that is a bone; -1 if there is none. */
int sn_character_find(const sn_character *character, const char *name);

/* Whether the scene has no use for a joint: it skips it, or has a bone in its place. */
bool sn_character_skips(const sn_character *character, int joint);

typedef SN_VECTOR(sn_bone_capsule) sn_capsules;

/* Those of a joint, in the flesh; none where there is no flesh. The caller frees them. */
sn_capsules sn_character_capsules(const sn_character *character, int joint,
                                  const sn_flesh_around *flesh);

#endif
