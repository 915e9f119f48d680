/* One level as cycles and smoothers see it: a system on an octree, or, where unknowns can turn, an
 * assembled matrix (rigid/rigid.h). What is asked of a level is asked here; nobody else looks which
 * it is. Vectors have the level's owned reals, and room behind them; all but `reals` and `inverse`
 * exist in both precisions. */
#ifndef SN_MULTIGRID_LEVEL_H
#define SN_MULTIGRID_LEVEL_H

#include "multigrid/multigrid.h"

/* Reals of the owned unknowns, and of one of them. */
sn_local sn_level_reals(const sn_multigrid_level *level);
int sn_level_block(const sn_multigrid_level *level);

/* Of the matrix's diagonal: 0 where there is nothing to invert. */
const float *sn_level_inverse_diagonal(const sn_multigrid_level *level);

/* Reals that a work vector of a level must have room for. */
size_t sn_level_room(const sn_multigrid *mg, int level);

/* Keys of the owned unknowns; the caller frees them. */
sn_key *sn_level_keys(const sn_multigrid_level *level);

void sn_level_copy_f32(const sn_multigrid_level *level, float *to, const float *from);
void sn_level_copy_f64(const sn_multigrid_level *level, double *to, const double *from);

/* Zeros where nodes are pinned. */
void sn_level_mask_f32(const sn_multigrid_level *level, float *u);
void sn_level_mask_f64(const sn_multigrid_level *level, double *u);

/* out = u + factor v. */
void sn_level_add_f32(const sn_multigrid_level *level, const float *u, float factor, const float *v,
                      float *out);
void sn_level_add_f64(const sn_multigrid_level *level, const double *u, double factor,
                      const double *v, double *out);

/* Collective, as all that follow: u.v; out = A u; r = b - A u. */
double sn_level_dot_f32(const sn_multigrid_level *level, const float *u, const float *v);
double sn_level_dot_f64(const sn_multigrid_level *level, const double *u, const double *v);
void sn_level_apply_f32(sn_multigrid_level *level, float *u, float *out);
void sn_level_apply_f64(sn_multigrid_level *level, double *u, double *out);
void sn_level_residual_f32(sn_multigrid_level *level, const float *b, float *u, float *r);
void sn_level_residual_f64(sn_multigrid_level *level, const double *b, double *u, double *r);

/* The smoother's step of system/system.h: p = keep p + add D^-1 (b - A x), and x += p. */
void sn_level_step_f32(sn_multigrid_level *level, const float *b, float keep, float add, float *p,
                       float *x, float *room);
void sn_level_step_f64(sn_multigrid_level *level, const double *b, double keep, double add,
                       double *p, double *x, double *room);

/* To a level below, and fine += what comes back from it; zero where nodes are pinned. */
void sn_level_restrict_f32(sn_multigrid_level *level, const sn_multigrid_level *below, float *fine,
                           float *coarse);
void sn_level_restrict_f64(sn_multigrid_level *level, const sn_multigrid_level *below, double *fine,
                           double *coarse);
void sn_level_prolong_add_f32(sn_multigrid_level *level, const sn_multigrid_level *below,
                              float *coarse, float *fine);
void sn_level_prolong_add_f64(sn_multigrid_level *level, const sn_multigrid_level *below,
                              double *coarse, double *fine);

#endif
