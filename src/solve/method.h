/* How a step's potential is minimised: the side of the seam that steps see.
 *
 * A method is a function and its context, which is the method's own; Newton's (newton.h) is one.
 * What it returns can be filled by any: how it ended, how many iterations, and inner ones within
 * them, it took. */
#ifndef SN_SOLVE_METHOD_H
#define SN_SOLVE_METHOD_H

#include "solve/potential.h"

#include <math.h>

typedef enum {
    SN_STEP_CONVERGED,
    SN_STEP_AT_LIMIT, /* as many iterations as are allowed are done; Phi never rose */
    SN_STEP_FAILED,   /* no descent, a breakdown, or numbers that are not finite */
} sn_step_end;

typedef struct {
    sn_step_end end;
    int iterations;                     /* of the method */
    int inner;                          /* of what it iterates inside, such as linear solves */
    int breakdowns;                     /* inner solves that had to go on in a slower way */
    double residual;                    /* as sn_potential_force has it, at the end */
    double friction_excess;             /* of the forces that balance there, over Coulomb's law */
    sn_deformation_summary deformation; /* at the end */
    /* Why it failed, if no shorter step can help: sources that failed, or the machine. */
    sn_status status;
} sn_step_result;

/* The worse of two residuals: one that is no number is worse than any. */
static inline double sn_worse(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

typedef struct {
    void *context;

    /* Collective. x is a field; after a failure it is the last iterate whose Phi was finite. */
    sn_step_result (*minimise)(void *context, sn_potential *potential, double *x);

    void (*free)(void *context);
} sn_method;

/* One that was never created may be freed. */
static inline void sn_method_free(sn_method *method)
{
    if (method->free)
        method->free(method->context);
    *method = (sn_method){0};
}

#endif
