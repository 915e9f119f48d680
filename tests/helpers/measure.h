/* The octrees of a mesh, built, checked on every level, and measured. */
#ifndef SN_TESTS_MEASURE_H
#define SN_TESTS_MEASURE_H

#include "mesh/check.h"
#include "octree/fraction.h"
#include "octree/hierarchy.h"

typedef struct {
    double volume; /* of the finest level's elements */
    double inside; /* of the fractions of them that are inside */
    int64_t elements;
    uint64_t digest; /* of the forest */
} measured_octree;

/* Collective. The mesh is the same on all ranks. */
measured_octree measure_octree(const char *name, const sn_mesh *mesh, const sn_mesh_report *report,
                               double cell);

/* By how much a cover of touching cells exceeds the mesh's volume, to first order in the cell:
 * at a random place in the grid it is the sum of the body and a cell, whose volume grows by
 * half a cell times the 1-norm of the normal over the surface. */
double expected_excess(const sn_mesh *mesh, double cell);

double longest_side(const sn_box *box);

#endif
