/* One elastic body of one material, ready to be solved, for tests with analytic solutions. */
#ifndef SN_TESTS_ELASTIC_BODY_H
#define SN_TESTS_ELASTIC_BODY_H

#include "helpers/solids.h"
#include "helpers/solver.h"

typedef struct {
    double young, poisson, density;
    double hourglass; /* a rule; 0: assumed strain */
    bool cut;         /* cells that the surface cuts count by the fraction that is inside */
    double offset;    /* in cells, at which the grid starts before the body in all directions */
} test_material;

/* Whether a node is pinned, by its rest position. */
typedef bool test_held(const double rest[3]);

typedef struct {
    test_solid solid;
    sn_solid view;
    sn_body body;
    sn_bodies bodies;
    sn_hierarchy forest;
    sn_octree *tree;      /* the finest level */
    float (*centroid)[3]; /* of the elements' material */
    test_solver solver;
    double mu, lambda; /* Lame parameters of its material */
    double *rest;      /* field */
} test_elastic;

/* A box from the origin whose elements fill exactly so many cells. */
sn_mesh test_box_of_cells(const int cells[3], double cell);

/* Collective. Takes the mesh over. `coarsest` is the edge of the largest element, 0 for no limit.
 * The body must not move in memory. */
void test_elastic_create(test_elastic *e, sn_mesh mesh, double cell, double coarsest,
                         test_material material, test_held *held);
void test_elastic_free(test_elastic *e);

/* Solves until rounding is all that is left. */
sn_solver_settings test_tight_settings(sn_solver_mode mode, sn_integrator integrator);

/* Collective. Balance under gravity, from rest; a new field of positions. */
double *test_elastic_balance(test_elastic *e, const double gravity[3]);

/* Collective: sums over all nodes of mass times a[axis], and of the masses. */
double test_mass_sum(const test_elastic *e, const double *a, int axis);
double test_total_mass(const test_elastic *e);

/* Collective: the mean of x - rest along an axis, over the nodes that rest at x = `at`. */
double test_mean_shift(const test_elastic *e, const double *x, double at, int axis);

/* Collective: the largest |a - b| at any node. */
double test_most_apart(const test_elastic *e, const double *a, const double *b);

/* Collective: how many nodes are pinned, and how many points hang. */
int64_t test_count_pinned(const test_elastic *e);
int64_t test_count_hanging(const test_elastic *e);

#endif
