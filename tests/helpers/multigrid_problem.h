/* A small system for the multigrid tests: two bodies with holes and hanging nodes, deformed until
 * some elements are inverted. All values belong to keys, so they are the same on any ranks. */
#ifndef SN_TESTS_MULTIGRID_PROBLEM_H
#define SN_TESTS_MULTIGRID_PROBLEM_H

#include "helpers/forest.h"

#include "helpers/solver.h"

typedef struct {
    unsigned long long seed; /* of the tetrahedra; 0: only the box */
    bool pinned;             /* the lowest part of each body is pinned */
    double mass;             /* the factor of M in A */
    double damping;          /* elements weigh from 1 to 1 + damping */
    double jump;             /* some elements are so many times as stiff; 0: as the others */
    double lambda;           /* times what it would be; 0: as it is */
    double noise;            /* of the positions, in cells */
    int noise_seed;
    double cell;
    sn_multigrid_settings settings;
} multigrid_case;

typedef struct {
    test_forest forest;
    sn_hierarchy tree;
    test_solver solver;
    double *x;       /* field: the positions that the system is linearised about */
    double *damping; /* of the owned elements */
    sn_deformation_summary deformation;
} multigrid_problem;

/* Collective. The problem must not move in memory. */
void multigrid_problem_open(multigrid_problem *p, MPI_Comm comm, const multigrid_case *what,
                            sn_hierarchy_options options);
void multigrid_problem_close(multigrid_problem *p);

/* The same with cells so large that one level is small enough for the exact solve. */
void multigrid_problem_open_on_one_level(multigrid_problem *p, MPI_Comm comm, multigrid_case what,
                                         sn_hierarchy_options options);

/* Collective. Checks that the cycle V is symmetric, up to so much rounding, and definite:
 * <V r, s> = <r, V s> and <r, V r> > 0, for rough and for smooth r. */
void multigrid_cycle_is_definite(multigrid_problem *p, const char *name, double rounding);

/* A random field of the finest level, zero where nodes are pinned. */
double *multigrid_random(const multigrid_problem *p, int which);
double *multigrid_zeros(const multigrid_problem *p);

double multigrid_dot(const multigrid_problem *p, const double *a, const double *b);

/* Collective: the largest |a - b|. */
double multigrid_distance(const multigrid_problem *p, const double *a, const double *b);

/* Collective: max |A x - b| after one cycle x for a random b. With one level the cycle is the dense
 * solve, so this is rounding only. */
double multigrid_cycle_residual(multigrid_problem *p, int which);

/* Collective: one hash of the owned values, by key. */
uint64_t multigrid_digest(const multigrid_problem *p, const double *field);

#endif
