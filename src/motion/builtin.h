/* The built-in motions: the creature's bones, walking.
 *
 *   creature_walk           in place
 *   creature_walk_forward   along +x, its feet standing still on the ground
 *
 * with parameters behind commas: `period`, the seconds of a cycle of four steps (1), and `start`,
 * the seconds in which it comes from standing still, as its meshes are, to walking (0.5). While
 * it starts, each bone turns against its parent the shortest way, so that joints stay whole. A
 * walker who goes forward gains speed in that time. */
#ifndef SN_MOTION_BUILTIN_H
#define SN_MOTION_BUILTIN_H

#include "base/affine.h"
#include "base/status.h"

#include <stdio.h>

typedef struct {
    int bone;
    bool forward;
    double period, start, size;
} sn_builtin_motion;

/* From the text of the scene. Fails with one message that says what there is; `wrong_joint` tells
 * whether it is the bone that does not exist. */
SN_CHECKED sn_status sn_builtin_motion_parse(const char *text, const char *bone, double size,
                                             sn_builtin_motion *motion, bool *wrong_joint);

/* The list of motions and parameters, for people. */
void sn_builtin_motion_describe(FILE *out);

/* How the bone has moved from where its mesh is; before time 0 not at all. */
sn_affine sn_builtin_motion_at(const sn_builtin_motion *motion, double seconds);

#endif
