/* A system with its coarser levels and their multigrid, and what steps it: what a shot has, for
 * tests that make their own. */
#ifndef SN_TESTS_SOLVER_H
#define SN_TESTS_SOLVER_H

#include "multigrid/multigrid.h"
#include "solve/newton.h"
#include "solve/step.h"

typedef struct {
    sn_system finest;
    sn_levels levels;
    sn_multigrid mg;
    sn_preconditioner preconditioner; /* mg */
} test_solver;

/* Collective. A corotational body. As sn_system_create and sn_multigrid_create; the solver must not
 * move in memory. */
void test_solver_create(test_solver *s, sn_hierarchy *forest, const sn_law_parameters *parameters,
                        const double *mass, const uint8_t *pinned, sn_multigrid_settings settings);
void test_solver_free(test_solver *s);

/* Collective. Linearises about x, and makes the cycle ready. */
SN_CHECKED sn_status test_solver_update(test_solver *s, double *x, double inertia,
                                        sn_deformation_summary *summary);

/* Collective: by the multigrid cycle. */
sn_linear_result test_solver_solve(test_solver *s, sn_linear_settings settings, const double *b,
                                   double *x, sn_linear_observer *observer, void *context);

/* Newton's method, and steps with it. Sources may be added before the first step. */
typedef struct {
    sn_method newton;
    sn_sources sources;
    sn_state state;
    sn_stepper stepper;
} test_steps;

/* From rest at x. The steps must not move in memory; `damping` of the owned elements must
 * stay; it is looked at if the body is damped. */
void test_steps_create(test_steps *t, test_solver *s, const sn_solver_settings *settings,
                       bool damped, const double *damping, const double gravity[3],
                       const double *x);
void test_steps_free(test_steps *t);

#endif
