/* The multigrid preconditioner (section 7): one cycle on all levels of a hierarchy, a V-cycle or
 * one that visits the coarse levels more often.
 *
 * Takes a system for each level and the transfers between them (system/levels.h), and only
 * smoothes, transfers and cycles. Smoothing is damped Jacobi, or Chebyshev polynomials of it on the
 * upper part of the spectrum; the coarsest level is solved exactly.
 *
 * Inside, all is single precision, if it is not asked for double: a preconditioner need not be more
 * exact than that. As an operator the cycle is symmetric and positive definite up to rounding: the
 * same smoother before and after, and restriction the transpose of prolongation.
 *
 * Bodies in groups with levels of their own (system/levels.h) have the finest level in common; what
 * corrects it is the sum over the groups, each symmetric and definite.
 *
 *     level[0]               all bodies
 *     level[1], [2], ...     group 0, from fine to coarse
 *     level[k], ...          group 1, where bodies turn */
#ifndef SN_MULTIGRID_MULTIGRID_H
#define SN_MULTIGRID_MULTIGRID_H

#include "multigrid/settings.h"
#include "rigid/rigid.h"
#include "sparse/direct.h"
#include "system/levels.h"
#include "system/preconditioner.h"

/* Vectors of a level, in the precision of the cycle only. The saved ones are for cycles that are
 * repeated. Those of the finest level are there while a cycle is (cycle.c). */
typedef struct {
    float *b, *x, *p, *t, *saved_b, *saved_x, *saved_r;
} sn_level_work_f32;
typedef struct {
    double *b, *x, *p, *t, *saved_b, *saved_x, *saved_r;
} sn_level_work_f64;

typedef struct {
    int group, depth;        /* how many levels of its group are above it */
    sn_system *system;       /* the caller's; NULL where unknowns can turn */
    sn_transfer *transfer;   /* the caller's, to the next coarser system; NULL if there is none */
    sn_rigid_level *rigid;   /* where unknowns can turn, and on the level above */
    double largest;          /* bound of the eigenvalues of D^-1 A */
    double largest_of_cycle; /* the same for the cycle times A, where it is repeated */
    sn_level_work_f32 work_f32;
    sn_level_work_f64 work_f64;
} sn_multigrid_level;

typedef struct {
    int first;            /* the level below the finest, if it has one */
    int n;                /* levels, the finest among them */
    int systems;          /* of them */
    sn_unknowns unknowns; /* of the coarsest system */
    sn_direct coarsest;
} sn_multigrid_group;

enum {
    SN_MOST_DEPTH = SN_MAX_LEVELS + SN_MOST_RIGID_LEVELS,
    SN_MOST_LEVELS_OF_ALL = SN_MOST_GROUPS * SN_MAX_LEVELS + SN_MOST_RIGID_LEVELS
};

typedef struct {
    sn_levels *levels; /* the caller's */
    int n_groups;
    sn_multigrid_group group[SN_MOST_GROUPS];
    int n_levels; /* of all groups */
    sn_multigrid_level level[SN_MOST_LEVELS_OF_ALL];
    sn_rigid_levels rigid; /* below the systems of the last group; or nothing */
    bool is_built;         /* the rigid levels are there, and may be kept */
    int prepared;          /* how often, since the step began */
    int64_t n_springs;     /* of the finest level when it was prepared last */
    bool keeps_finest_t;   /* of the finest level's vectors t is kept, the others never */
    sn_multigrid_settings settings;
} sn_multigrid;

/* The level of a group at a depth. */
static inline int sn_multigrid_at(const sn_multigrid *mg, int group, int depth)
{
    return depth == 0 ? 0 : mg->group[group].first + depth - 1;
}

/* Of the levels that correct this one, number `which`; 0 if there are no more. */
int sn_multigrid_below(const sn_multigrid *mg, int level, int which);

/* The depth of the deepest group. */
int sn_multigrid_depth(const sn_multigrid *mg);

/* Does a cycle with these settings work in single precision? Then its systems must, too. */
bool sn_multigrid_is_single(const sn_multigrid_settings *settings);

/* Collective. Which bodies should have systems on how many levels of the forest: where parts of a
 * body get thinner than the cells, unknowns that can turn take over, if the settings do not say
 * otherwise. Those that turn are the last group. */
sn_level_groups sn_multigrid_groups(const sn_multigrid_settings *settings, sn_hierarchy *forest);

/* Collective. The finest level whose cycle is repeated where nothing turns: the settings', or a
 * coarser one that is cheap, but none below which parts get thinner than the cells: from there on
 * trilinear levels are poor. A level 1 that is asked for is taken. */
int sn_multigrid_repeats_from(const sn_multigrid_settings *settings, const sn_level_groups *groups,
                              sn_hierarchy *forest);

/* Collective. The groups of the levels are as above: below the systems of the last one, if the
 * forest has more levels, unknowns can turn. Both must stay where they are. After a failure there
 * is nothing to free. */
SN_CHECKED sn_status sn_multigrid_create(sn_hierarchy *forest, sn_levels *levels,
                                         sn_multigrid_settings settings, sn_multigrid *mg);
void sn_multigrid_free(sn_multigrid *mg);

/* Collective. Coarse levels, smoothers and the coarsest factor follow the last linearisation of the
 * finest system, about x: then cycles can be. It costs as much as a few of them, and where forces
 * balance already there is nothing to solve. */
SN_CHECKED sn_status sn_multigrid_prepare(sn_multigrid *mg, double *x);

/* A step begins: levels whose unknowns can turn, which are kept from its first linearisation on,
 * are made anew at the next one, and so are bounds of repeated cycles. */
void sn_multigrid_begin(sn_multigrid *mg);

/* Collective: z = the cycle applied to r, both fields of the finest level (cycle.c). */
void sn_multigrid_cycle(sn_multigrid *mg, const double *r, double *z);

/* Does the finest level's t fit beside p where a cycle puts its result? It is where other ranks
 * have much of the coarser level that it does not. */
bool sn_multigrid_lends_t(const sn_multigrid *mg);

/* Both, for a linear solve. The multigrid must stay where it is. */
sn_preconditioner sn_multigrid_preconditioner(sn_multigrid *mg);

/* Bytes of this rank beside those of the systems. */
size_t sn_multigrid_memory(const sn_multigrid *mg);

/* Of that, what a level but the finest with so many owned and ghost nodes holds in nodal values. */
size_t sn_multigrid_nodal_memory(size_t nodes, size_t ghosts, bool single, bool repeated);

#endif
