/* What bones a scene to begin with gets: those of the character's own file, or else those of a
 * motion's, put into the mesh by the sizes of both. */
#ifndef SN_INIT_RIG_H
#define SN_INIT_RIG_H

#include "survey/survey.h"

typedef struct {
    const char *asked;  /* the motion that was named; NULL: none */
    const char *from;   /* the file with the skeleton; NULL: there is none */
    const char *motion; /* another file that moves it; NULL: none */
    bool motion_is_bvh;
    int bones;
    bool is_placed; /* as follows, since it is not the mesh's own: */
    bool is_turned; /* from z up to y up */
    double scale, translate[3];
    double seconds, fps; /* of the motion; 0 and NAN if the skeleton stands still */
    /* In the mesh's lengths: the most that a joint moves in a second beside the bone on which its
     * parent hangs, and from rest to where the motion begins. */
    double speed, start;
    char why_not[512]; /* why the character's file has none; "" if that is not worth a word */
} sn_init_rig;

/* Rank 0's alone. `motion` may be NULL; one that cannot be read is a failure, a character without a
 * skeleton is not. `up` is the axis of the mesh. */
SN_CHECKED sn_status sn_init_rig_find(const char *character, const char *motion,
                                      const sn_survey *survey, int up, sn_init_rig *rig);

#endif
