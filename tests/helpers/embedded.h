/* For tests of the embedded surface: bodies, the finest level of their forest, the embedding in
 * it, and motions of its nodes. */
#ifndef SN_TESTS_EMBEDDED_H
#define SN_TESTS_EMBEDDED_H

#include "helpers/solids.h"
#include "surface/embed.h"

enum { MOST_BODIES = 4 };

typedef struct {
    int n;
    test_solid solid[MOST_BODIES];
    sn_solid view[MOST_BODIES];
    sn_body body[MOST_BODIES];
    sn_bodies bodies;
    double volume; /* of the input */
} test_bodies;

/* Takes the mesh over. */
void test_bodies_add(test_bodies *bodies, sn_mesh mesh, bool closed, double cell);
void test_bodies_free(test_bodies *bodies);

/* A built-in shape. */
sn_mesh test_builtin(const char *spec);

typedef struct {
    sn_hierarchy forest;
    sn_octree *tree; /* its finest level */
    sn_embedding embedding;
    double *x;
    double (*position)[3];
} test_embedded;

/* Collective. Does not move: its parts point at each other. */
void test_embed(const test_bodies *bodies, MPI_Comm comm, sn_partition_method method,
                test_embedded *embedded);
void test_embedded_free(test_embedded *embedded);

typedef void test_motion(const double rest[3], double moved[3]);
test_motion test_stay, test_affine, test_wave;
double test_affine_determinant(void);

/* Collective. Moves the nodes, and the vertices with them. */
void test_embedded_move(test_embedded *embedded, test_motion *motion);

/* Its `position` as others take it. */
static inline const double (*test_positions(const test_embedded *e))[3]
{
    return (const double(*)[3])e->position;
}

#endif
