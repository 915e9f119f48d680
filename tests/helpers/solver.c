#include "helpers/solver.h"

#include "base/log.h"

static void must(sn_status status)
{
    if (status != SN_OK)
        sn_abort(SN_MACHINE, __FILE__, __LINE__, "%s", sn_failure_message());
}

void test_solver_create(test_solver *s, sn_hierarchy *forest, const sn_law_parameters *parameters,
                        const double *mass, const uint8_t *pinned, sn_multigrid_settings settings)
{
    *s = (test_solver){0};
    must(sn_system_create(&forest->level[0], SN_LAW_COROTATED, parameters, mass, pinned, NULL,
                          sn_multigrid_is_single(&settings), &s->finest));
    sn_level_groups groups = sn_multigrid_groups(&settings, forest);
    must(sn_levels_create(forest, &groups, &s->finest, &s->levels));
    must(sn_multigrid_create(forest, &s->levels, settings, &s->mg));
    s->preconditioner = sn_multigrid_preconditioner(&s->mg);
}

void test_solver_free(test_solver *s)
{
    sn_multigrid_free(&s->mg);
    sn_levels_free(&s->levels);
    sn_system_free(&s->finest);
}

sn_status test_solver_update(test_solver *s, double *x, double inertia,
                             sn_deformation_summary *summary)
{
    *summary = sn_system_linearise(&s->finest, x, 1, inertia, NULL);
    sn_multigrid_begin(&s->mg);
    return sn_multigrid_prepare(&s->mg, x);
}

sn_linear_result test_solver_solve(test_solver *s, sn_linear_settings settings, const double *b,
                                   double *x, sn_linear_observer *observer, void *context)
{
    return sn_linear_solve(&s->finest, &s->preconditioner, settings, b, x, observer, context);
}

void test_steps_create(test_steps *t, test_solver *s, const sn_solver_settings *settings,
                       bool damped, const double *damping, const double gravity[3], const double *x)
{
    *t = (test_steps){.newton = sn_newton_create((sn_newton){.settings = settings->newton,
                                                             .linear = settings->linear,
                                                             .preconditioner = s->preconditioner}),
                      .state = sn_state_create(s->finest.tree, x)};
    sn_stepper_parts parts = {.system = &s->finest,
                              .method = t->newton,
                              .sources = &t->sources,
                              .mode = settings->mode,
                              .integrator = settings->integrator,
                              .damped = damped,
                              .damping = {.number = damping},
                              .gravity = {gravity[0], gravity[1], gravity[2]},
                              .state = &t->state};
    t->stepper = (sn_stepper){.parts = parts};
}

void test_steps_free(test_steps *t)
{
    sn_method_free(&t->newton);
    sn_state_free(&t->state);
}
