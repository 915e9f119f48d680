/* Small meshes for tests, made into solids. */
#ifndef SN_TESTS_SOLIDS_H
#define SN_TESTS_SOLIDS_H

#include "octree/hierarchy.h"

typedef struct {
    sn_mesh mesh;
    void *winding;
    sn_solid solid;
} test_solid;

/* Takes the mesh over. */
test_solid test_solid_of(sn_mesh mesh, bool closed);
void test_solid_free(test_solid *s);

/* `parts` random tetrahedra in the unit cube, facing out; with `open`, some lose a face. */
sn_mesh test_tetrahedra(unsigned long long *seed, int parts, bool open);

/* An axis-aligned box with 12 triangles. */
sn_mesh test_box(const double min[3], const double max[3]);

/* Two meshes as one; both are taken over. */
sn_mesh test_meshes_joined(sn_mesh a, sn_mesh b);

#endif
