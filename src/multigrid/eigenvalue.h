/* The largest eigenvalue of an operator on one level, by power iterations from below. */
#ifndef SN_MULTIGRID_EIGENVALUE_H
#define SN_MULTIGRID_EIGENVALUE_H

#include "multigrid/multigrid.h"

/* out = the operator applied to u, both with the level's owned nodes, and u with its ghosts. */
typedef void sn_level_operator(sn_multigrid *mg, int level, float *u, float *out);

/* Collective. `leading` is the last guess at the eigenvector, or, the `first` time, anything; it
 * is left for the next time, when a few steps are enough. Uses the work vector t for `out`. */
double sn_largest_eigenvalue(sn_multigrid *mg, int level, sn_level_operator *apply, bool first,
                             float *leading);

#endif
