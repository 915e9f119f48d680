/* Coarse levels whose unknowns can turn: smoothed aggregation with rigid motions, after Vanek,
 * Mandel and Brezina.
 *
 * A trilinear coarse cell that is larger than a part is thick cannot bend with it: it locks, and a
 * cycle hardly corrects what bends. Here the unknowns of a coarse level are the six rigid motions
 * of aggregates (aggregates.h). The tentative prolongation T moves them one by one; smoothed once,
 *
 *      P = (1 - w D^-1 A) T,      w = 4/3 / the largest eigenvalue of D^-1 A,
 *
 * it bends between them, and the coarse matrix is P^T A P.
 *
 *      level 0     nodes of an octree, 3 reals each: the matrix is a system's (system/assemble.h)
 *      level 1     aggregates of its nodes, 6 reals each
 *      level 2     aggregates of these, and so on, until few are left
 *
 * Which aggregates there are follows from octrees and pins, once; the rest from a linearisation.
 * Reals that an aggregate has no use for have nothing on the diagonal, and zero as its inverse. */
#ifndef SN_RIGID_RIGID_H
#define SN_RIGID_RIGID_H

#include "octree/hierarchy.h"
#include "rigid/modes.h"
#include "sparse/sparse.h"

enum {
    SN_MOST_RIGID_LEVELS = 10,
    SN_FEW_AGGREGATES = 100 /* a level with no more is not coarsened */
};

typedef struct {
    int reals; /* of an unknown: 3 or SN_MODES */
    sn_unknowns unknowns;
    sn_key *parent; /* of each unknown: its aggregate on the next level, or SN_NO_AGGREGATE */

    /* While levels are made: */
    sn_rigid_unknown *motion; /* centres and modes of the unknowns */

    /* Of the last linearisation, in the precision of the cycle: */
    sn_sparse matrix;        /* level 0 has none then: it has a system */
    float *inverse_diagonal; /* neither has it this */
    sn_sparse prolongation;  /* from the next level, if there is one, */
    sn_sparse restriction;   /* and to it */
} sn_rigid_level;

typedef struct {
    bool single;
    int n; /* levels; 0: there are none */
    sn_rigid_level level[SN_MOST_RIGID_LEVELS];
} sn_rigid_levels;

/* Collective. Level 0 are the nodes of level `from` of the forest, containers the elements of
 * coarser ones, which must stay. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_rigid_create(sn_hierarchy *forest, int from, const uint8_t *pinned,
                                     bool single, sn_rigid_levels *rigid);
void sn_rigid_free(sn_rigid_levels *rigid);

/* Collective. Levels are made anew: level 0 takes the matrix over; its nodes are at x, a field. */
void sn_rigid_begin(sn_rigid_levels *rigid, sn_sparse matrix, const double *x);

/* Collective. Makes the transfers between a level and the next, and that one's matrix; `inverse` is
 * that of the level's D, and `largest` a bound of the eigenvalues of D^-1 A. The matrix of level 0
 * goes then, others stay in the precision of the cycle. */
SN_CHECKED sn_status sn_rigid_coarsen(sn_rigid_levels *rigid, int level, const float *inverse,
                                      double largest);

/* The last level is made: what is only needed to make levels goes. */
void sn_rigid_end(sn_rigid_levels *rigid);

size_t sn_rigid_memory(const sn_rigid_levels *rigid);

#endif
