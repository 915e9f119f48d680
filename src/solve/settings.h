/* What a scene says about how each step is solved. */
#ifndef SN_SOLVE_SETTINGS_H
#define SN_SOLVE_SETTINGS_H

typedef enum { SN_MODE_DYNAMIC, SN_MODE_QUASISTATIC } sn_solver_mode;
typedef enum { SN_INTEGRATOR_BACKWARD_EULER, SN_INTEGRATOR_BDF2 } sn_integrator;

/* X(NAME, name, what it is) for each linear solver: SN_LINEAR_NAME is its number. One that is not
 * MG or CG is conjugate gradients with a preconditioner, which shot/structure.c makes for it. */
#define SN_LINEAR_METHODS(X)                                                                       \
    X(MGPCG, mgpcg, "multigrid-preconditioned CG")                                                 \
    X(MG, mg, "multigrid")                                                                         \
    X(CG, cg, "CG")

#define SN_LINEAR_NUMBER(NAME, name, meaning) SN_LINEAR_##NAME,
typedef enum { SN_LINEAR_METHODS(SN_LINEAR_NUMBER) } sn_linear_method;
#undef SN_LINEAR_NUMBER

/* Both iterations end at the tolerance, relative to where they began, or at the most iterations. */
typedef struct {
    int max;
    double tolerance;
} sn_newton_settings;

typedef struct {
    sn_linear_method method;
    int max;
    double tolerance;
} sn_linear_settings;

typedef struct {
    sn_solver_mode mode;
    sn_integrator integrator;
    sn_newton_settings newton;
    sn_linear_settings linear;
} sn_solver_settings;

#endif
