/* The multigrid preconditioner (section 7): one cycle on all levels of a hierarchy, a V-cycle or
 * one that visits the coarse levels more often.
 *
 * Takes a system for each level and the transfers between them (system/levels.h), and only
 * smoothes, transfers and cycles. Smoothing is damped Jacobi, or Chebyshev polynomials of it on the
 * upper part of the spectrum; the coarsest level is solved exactly.
 *
 * Inside, all is single precision, if it is not asked for double: a preconditioner need not be more
 * exact than that. As an operator the cycle is symmetric and positive definite up to rounding: the
 * same smoother before and after, and restriction the transpose of prolongation. */
#ifndef SN_MULTIGRID_MULTIGRID_H
#define SN_MULTIGRID_MULTIGRID_H

#include "multigrid/settings.h"
#include "rigid/rigid.h"
#include "sparse/dense.h"
#include "system/levels.h"
#include "system/preconditioner.h"

/* Vectors of a level, in the precision of the cycle only. The saved ones are for cycles that are
 * repeated. */
typedef struct {
    float *b, *x, *r, *p, *t, *saved_b, *saved_x, *saved_r;
} sn_level_work_f32;
typedef struct {
    double *b, *x, *r, *p, *t, *saved_b, *saved_x, *saved_r;
} sn_level_work_f64;

typedef struct {
    sn_system *system;       /* the caller's; NULL where unknowns can turn */
    sn_transfer *transfer;   /* the caller's, to the next coarser system; NULL if there is none */
    sn_rigid_level *rigid;   /* where unknowns can turn, and on the level above */
    double largest;          /* bound of the eigenvalues of D^-1 A */
    double largest_of_cycle; /* the same for the cycle times A, where it is repeated */
    sn_level_work_f32 work_f32;
    sn_level_work_f64 work_f64;
} sn_multigrid_level;

typedef struct {
    sn_levels *levels; /* the caller's */
    int n_levels;
    sn_multigrid_level level[SN_MAX_LEVELS + SN_MOST_RIGID_LEVELS];
    sn_rigid_levels rigid; /* below the systems; or nothing */
    sn_unknowns unknowns;  /* of the coarsest system */
    bool is_built;         /* the rigid levels are there, and may be kept */
    sn_dense coarsest;
    sn_multigrid_settings settings;
} sn_multigrid;

/* Does a cycle with these settings work in single precision? Then its systems must, too. */
bool sn_multigrid_is_single(const sn_multigrid_settings *settings);

/* Collective. How many levels of the forest should have systems: where parts get thinner than the
 * cells, unknowns that can turn take over, if the settings do not say otherwise. */
int sn_multigrid_systems(const sn_multigrid_settings *settings, sn_hierarchy *forest);

/* Collective. The levels are those of the forest, or the finer ones of them: then unknowns can turn
 * below. Both must stay where they are. After a failure there is nothing to free. */
SN_CHECKED sn_status sn_multigrid_create(sn_hierarchy *forest, sn_levels *levels,
                                         sn_multigrid_settings settings, sn_multigrid *mg);
void sn_multigrid_free(sn_multigrid *mg);

/* Collective. Coarse levels, smoothers and the coarsest factor follow the last linearisation of the
 * finest system: then cycles can be. It costs as much as a few of them, and where forces balance
 * already there is nothing to solve. */
SN_CHECKED sn_status sn_multigrid_prepare(sn_multigrid *mg);

/* A step begins: levels whose unknowns can turn, which are kept from its first linearisation on,
 * are made anew at the next one. */
void sn_multigrid_begin(sn_multigrid *mg);

/* Collective: z = the cycle applied to r, both fields of the finest level (cycle.c). */
void sn_multigrid_cycle(sn_multigrid *mg, const double *r, double *z);

/* Both, for a linear solve. The multigrid must stay where it is. */
sn_preconditioner sn_multigrid_preconditioner(sn_multigrid *mg);

/* Bytes of this rank beside those of the systems. */
size_t sn_multigrid_memory(const sn_multigrid *mg);

/* Of that, what a level with so many owned and ghost nodes holds in nodal values. */
size_t sn_multigrid_nodal_memory(size_t nodes, size_t ghosts, bool single, bool repeated);

#endif
