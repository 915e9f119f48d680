/* An upper bound for the eigenvalues of a preconditioner B times the matrix A of one level.
 *
 * The coefficients of conjugate gradients make the tridiagonal matrix of Lanczos, whose largest
 * eigenvalue comes from below and soon; what is missing is less than the residual that belongs to
 * it, but for vectors that the random start has nothing of (Kuczynski and Wozniakowski 1992). The
 * bound follows from the matrix alone, however a run came to it. */
#ifndef SN_MULTIGRID_EIGENVALUE_H
#define SN_MULTIGRID_EIGENVALUE_H

#include "multigrid/multigrid.h"

/* Collective: B r, in a vector of the level. May use any work vector but those below. */
typedef float *sn_level_preconditioner_f32(sn_multigrid *mg, int level, const float *r);
typedef double *sn_level_preconditioner_f64(sn_multigrid *mg, int level, const double *r);

/* Work vectors of the level. */
typedef struct {
    float *r, *p, *q;
} sn_eigenvalue_room_f32;
typedef struct {
    double *r, *p, *q;
} sn_eigenvalue_room_f64;

/* Collective. At least so many steps are done: the more, the less is overlooked. 0 if nothing is
 * free on the level. */
double sn_largest_eigenvalue_f32(sn_multigrid *mg, int level, int fewest,
                                 sn_level_preconditioner_f32 *precondition,
                                 sn_eigenvalue_room_f32 room);
double sn_largest_eigenvalue_f64(sn_multigrid *mg, int level, int fewest,
                                 sn_level_preconditioner_f64 *precondition,
                                 sn_eigenvalue_room_f64 room);

#endif
