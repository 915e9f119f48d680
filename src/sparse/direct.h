/* The exact solve of a matrix that is small.
 *
 * Every rank that has rows of it keeps the whole factor (cholesky.h), and solves for all:
 * no rank waits for another's answer, and all have the same bits. Ranks without rows take no part.
 */
#ifndef SN_SPARSE_DIRECT_H
#define SN_SPARSE_DIRECT_H

#include "sparse/cholesky.h"
#include "sparse/sparse.h"

typedef struct {
    MPI_Comm comm;        /* of the ranks with rows; MPI_COMM_NULL on the others */
    MPI_Comm all;         /* the caller's */
    int block;            /* reals of a block */
    int n;                /* blocks of all ranks */
    sn_key *key;          /* of them, ascending */
    sn_cholesky factor;   /* of the last matrix */
    uint64_t pattern;     /* a digest of where that had blocks, as they arrive */
    double *values;       /* right hand side, then solution */
    double *gathered;     /* as they arrive, rank by rank */
    int *counts, *starts; /* reals of each rank */
    sn_local *place;      /* for each block as it arrives: its row along the curve */
    sn_local first_own;   /* in the order of arrival: where this rank's blocks start */
    sn_local n_own;
} sn_direct;

/* Collective. Who has which unknowns; they are not needed afterwards. */
void sn_direct_create(const sn_unknowns *unknowns, int block, sn_direct *direct);
void sn_direct_free(sn_direct *direct);

/* Collective. How many reals the factor of a matrix with entries like these has; 0 on ranks without
 * rows. */
size_t sn_direct_analyse(sn_direct *direct, const sn_sparse *matrix);

/* Bytes of this rank; and the most that a rank with rows holds, if there are so many blocks. */
size_t sn_direct_memory(const sn_direct *direct);
size_t sn_direct_memory_of(size_t blocks, size_t block);

/* Collective. Factorises a matrix in double precision. One that is not definite (a body that
 * nothing holds) gets a small shift, and an unknown with nothing on its diagonal, one that is not
 * solved for, a one: nothing is asked of it, and nothing comes of it. SN_INACCURATE if that does
 * not help. */
SN_CHECKED sn_status sn_direct_factorise(sn_direct *direct, const sn_sparse *matrix);

/* Collective: x = A^-1 b for the owned unknowns. */
void sn_direct_solve_f32(sn_direct *direct, const float *b, float *x);
void sn_direct_solve_f64(sn_direct *direct, const double *b, double *x);

#endif
