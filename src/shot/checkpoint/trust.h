/* Whether what was read from a checkpoint can be the state of a shot of this scene.
 *
 * Digests and the seal tell what was damaged by accident. Whoever means harm makes new ones: so
 * every number that is used as an index, a count or a frame is held against the scene, and every
 * other one must be finite and no larger than arithmetic can stand. Records of contacts are looked
 * at where the surfaces are known that they are of (contact/contacts.h). */
#ifndef SN_SHOT_CHECKPOINT_TRUST_H
#define SN_SHOT_CHECKPOINT_TRUST_H

#include "shot/checkpoint/checkpoint.h"

/* Collective. SN_MACHINE, as for any damage; `path` is for the message. */
SN_CHECKED sn_status sn_checkpoint_trust(const char *path, const sn_shot *shot,
                                         const sn_frame_rows *rows);

#endif
