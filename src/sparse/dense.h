/* The exact solve of a matrix that is small.
 *
 * Every rank that has rows of it keeps the whole matrix and its dense factor, and solves for all:
 * no rank waits for another's answer, and all have the same bits. Ranks without rows take no part.
 */
#ifndef SN_SPARSE_DENSE_H
#define SN_SPARSE_DENSE_H

#include "sparse/sparse.h"

typedef struct {
    MPI_Comm comm;        /* of the ranks with rows; MPI_COMM_NULL on the others */
    MPI_Comm all;         /* the caller's */
    int block;            /* reals of a block */
    int n;                /* blocks of all ranks */
    sn_key *key;          /* of them, ascending */
    double *factor;       /* upper triangle of the Cholesky factor, by rows */
    double *values;       /* right hand side, then solution */
    double *gathered;     /* as they arrive, rank by rank */
    int *counts, *starts; /* reals of each rank */
    sn_local *place;      /* for each block as it arrives: its row along the curve */
    sn_local first_own;   /* in the order of arrival: where this rank's blocks start */
    sn_local n_own;
} sn_dense;

/* Collective. Who has which unknowns; they are not needed afterwards. */
void sn_dense_create(const sn_unknowns *unknowns, int block, sn_dense *dense);
void sn_dense_free(sn_dense *dense);

/* Bytes that a rank with rows holds, if there are so many blocks of so many reals. */
size_t sn_dense_memory_of(size_t blocks, size_t block);

/* Collective. Factorises a matrix in double precision. One that is not definite (a body that
 * nothing holds) gets a small shift, and an unknown with nothing on its diagonal, one that is not
 * solved for, a one: nothing is asked of it, and nothing comes of it. SN_INACCURATE if that does
 * not help. */
SN_CHECKED sn_status sn_dense_factorise(sn_dense *dense, const sn_sparse *matrix);

/* Collective: x = A^-1 b for the owned unknowns. */
void sn_dense_solve_f32(sn_dense *dense, const float *b, float *x);
void sn_dense_solve_f64(sn_dense *dense, const double *b, double *x);

#endif
