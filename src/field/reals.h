/* Vectors of reals, of whatever: the loops that fields and other vectors of a level share, with
 * threads, and with sums that are exact before they are rounded. In both precisions. */
#ifndef SN_FIELD_REALS_H
#define SN_FIELD_REALS_H

#include "base/index.h"

#include <mpi.h>

void sn_reals_clear_f64(sn_local n, double *u);
void sn_reals_clear_f32(sn_local n, float *u);
void sn_reals_copy_f64(sn_local n, double *to, const double *from);
void sn_reals_copy_f32(sn_local n, float *to, const float *from);

/* out = u + factor v; out may be one of them. */
void sn_reals_add_f64(sn_local n, const double *u, double factor, const double *v, double *out);
void sn_reals_add_f32(sn_local n, const float *u, float factor, const float *v, float *out);

/* Collective: u.v. */
double sn_reals_dot_f64(MPI_Comm comm, sn_local n, const double *u, const double *v);
double sn_reals_dot_f32(MPI_Comm comm, sn_local n, const float *u, const float *v);

#endif
