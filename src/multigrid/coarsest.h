/* The exact solve on the coarsest level.
 *
 * The level is so small that every rank that has octants on it keeps the whole matrix and its
 * dense factor, and solves for all: no rank waits for another's answer, and all have the same
 * bits. The matrix is the sum of the elements' matrices along the curve and of the springs' by
 * number, so it does not depend on the partition either. Ranks without octants there take no part.
 */
#ifndef SN_MULTIGRID_COARSEST_H
#define SN_MULTIGRID_COARSEST_H

#include "system/system.h"

typedef struct {
    MPI_Comm comm;        /* of the ranks with octants; MPI_COMM_NULL on the others */
    int n;                /* nodes of the level */
    double *factor;       /* upper triangle of the Cholesky factor, 3n x 3n, by rows */
    double *values;       /* 3n: right hand side, then solution */
    double *gathered;     /* as they arrive, rank by rank */
    int *counts, *starts; /* reals of each rank */
    sn_local *place;      /* for each node as it arrives: its row along the curve */
    sn_local first_own;   /* in the order of arrival: where this rank's nodes start */
    sn_local n_own;
} sn_coarsest;

/* Collective over the tree's communicator. Which nodes there are, and who has them. */
void sn_coarsest_create(const sn_octree *tree, sn_coarsest *coarsest);
void sn_coarsest_free(sn_coarsest *coarsest);

/* Bytes that a rank with octants there holds, if the level has so many nodes. */
size_t sn_coarsest_memory_of(size_t nodes);

/* Factorises the matrix of the level's system. One that is not definite (a body that nothing holds)
 * gets a small shift. */
SN_CHECKED sn_status sn_coarsest_factorise(sn_coarsest *coarsest, const sn_system *system);

/* x = A^-1 b on the owned nodes; zero where pinned. */
void sn_coarsest_solve_f32(sn_coarsest *coarsest, const float *b, float *x);
void sn_coarsest_solve_f64(sn_coarsest *coarsest, const double *b, double *x);

#endif
