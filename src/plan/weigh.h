/* What the parts of a shot hold that plan/parts.h can't count from an octree alone.
 *
 * Kept by the name of what it grows with, so that it can be told for other cells and other numbers
 * of ranks. What comes and goes within a step is seen by doing it once more: a search for contacts,
 * springs for as many contacts as a shot may have later, a frame and a checkpoint. */
#ifndef SN_PLAN_WEIGH_H
#define SN_PLAN_WEIGH_H

#include "shot/shot.h"

/* In bytes, of all ranks together where nothing else is said. */
typedef struct {
    double surface;     /* of the vertices, held all the time */
    double search;      /* of the vertices, while contacts are searched for */
    double ties;        /* of springs to bones */
    double stays;       /* of springs that hold slivers */
    double transfer;    /* between levels, for each finer node */
    double rigid;       /* of levels whose unknowns can turn, for each node above them */
    double locators;    /* for each element of the finest level */
    double colliders;   /* of each rank */
    double writing;     /* while a frame or a checkpoint is written, for each element */
    double contact;     /* held for each contact */
    double new_contact; /* for each, while springs are made of them */
    double vertices;    /* of the surface: a number */
    double contacts;    /* that the shot has now: a number */
} sn_weights_of_shot;

/* Collective. Files go to a temporary folder, and are removed. Peaks of memory are begun anew. */
double sn_weigh_writing(sn_shot *shot, int frame);

/* Collective. All but `writing`. `share` of the vertices are put in contact: the shot can't go on
 * afterwards. */
SN_CHECKED sn_status sn_weigh_shot(sn_shot *shot, double share, sn_weights_of_shot *weights);

#endif
