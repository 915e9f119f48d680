/* Several small bodies, and the forests that can be built of them. */
#ifndef SN_TESTS_FOREST_H
#define SN_TESTS_FOREST_H

#include "helpers/solids.h"

enum { TEST_BODIES = 8 };

typedef struct {
    int n;
    test_solid solid[TEST_BODIES];
    sn_solid view[TEST_BODIES];
    sn_body body[TEST_BODIES];
    sn_bodies bodies;
} test_forest;

/* Takes the mesh over. The forest must not move in memory once it has been built. */
void test_forest_add(test_forest *f, sn_mesh mesh, bool closed, double cell);
/* What shares a cell is joined, in all bodies. */
void test_forest_weld(test_forest *f);
void test_forest_free(test_forest *f);

/* Collective. */
SN_CHECKED sn_status test_forest_build(const test_forest *f, MPI_Comm comm,
                                       sn_hierarchy_options options, sn_hierarchy *hierarchy);

/* The ways to cut a forest that every result must agree on. */
typedef struct {
    const char *name;
    sn_hierarchy_options options;
} test_way;

enum { TEST_WAYS = 4 };
extern const test_way test_ways[TEST_WAYS];

#endif
