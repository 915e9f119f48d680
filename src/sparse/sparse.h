/* A distributed sparse matrix of small dense blocks.
 *
 *            columns (own, then ghosts)
 *      row   [##]      [##][##]        a row's blocks stand along the curve of the columns,
 *      row        [##][##]             whoever has them
 *
 * A rank has the rows of its own unknowns, whole. Columns of other ranks are ghosts that an
 * exchange fills: a vector that is multiplied needs room for them behind this rank's own entries.
 * Sums run over a row's blocks in their order, so that products have the same bits on any number of
 * ranks and threads.
 *
 * Blocks stand in memory by columns: the rows of a block are then added up side by side. They are
 * in double precision while a matrix is made, and may be in single precision afterwards.
 */
#ifndef SN_SPARSE_SPARSE_H
#define SN_SPARSE_SPARSE_H

#include "partition/exchange.h"
#include "sparse/unknowns.h"

enum { SN_MOST_BLOCK_ROWS = 6 }; /* and columns */

typedef struct {
    int height, width;                 /* of a block, in reals */
    const sn_unknowns *rows, *columns; /* the caller's */
    sn_local *first;                   /* rows + 1: into the blocks */
    sn_local *index;                   /* of each block: the local number of its column */
    double *wide;                      /* the blocks, or NULL */
    float *narrow;                     /* the same in single precision, or NULL */
    sn_key *ghost;                     /* columns of other ranks, in the order of the exchange */
    sn_exchange exchange;              /* of a vector's blocks */
} sn_sparse;

/* Collective. A matrix of zeros with blocks at these places: those of row i are first[i] to
 * first[i + 1] - 1, at the columns with these keys, which ascend. Takes `first` over. After a
 * failure there is nothing to free. */
SN_CHECKED sn_status sn_sparse_create(const sn_unknowns *rows, const sn_unknowns *columns,
                                      int height, int width, sn_local *first, const sn_key *key,
                                      sn_sparse *matrix);
void sn_sparse_free(sn_sparse *matrix);

/* Not collective: may a rank have so many blocks? To be asked before `create`. */
SN_CHECKED sn_status sn_sparse_countable(size_t blocks);
size_t sn_sparse_memory(const sn_sparse *matrix);

/* How many blocks there are here; reals of a block; reals that a vector must have room for. */
sn_local sn_sparse_blocks(const sn_sparse *matrix);
size_t sn_sparse_block_reals(const sn_sparse *matrix);
size_t sn_sparse_room(const sn_sparse *matrix);

/* A block's entries, while they are in double precision, and the key of its column. */
static inline double *sn_sparse_block(const sn_sparse *m, sn_local block)
{
    return m->wide + (size_t)block * (size_t)(m->height * m->width);
}
static inline sn_key sn_sparse_key(const sn_sparse *m, sn_local block)
{
    sn_local column = m->index[block];
    return column < m->columns->n ? m->columns->key[column] : m->ghost[column - m->columns->n];
}

/* The block of a row at a column, or SN_NONE. */
sn_local sn_sparse_find(const sn_sparse *matrix, sn_local row, sn_key column);

/* From now on the matrix is in single precision, too; and in that alone. */
void sn_sparse_narrow(sn_sparse *matrix);
void sn_sparse_drop_wide(sn_sparse *matrix);

/* Collective, as all that follow: out = M u, out += M u, and r = b - M u. Ghosts of u are
 * overwritten. */
void sn_sparse_apply_f64(sn_sparse *matrix, double *u, double *out);
void sn_sparse_apply_f32(sn_sparse *matrix, float *u, float *out);
void sn_sparse_apply_add_f64(sn_sparse *matrix, double *u, double *out);
void sn_sparse_apply_add_f32(sn_sparse *matrix, float *u, float *out);
void sn_sparse_residual_f64(sn_sparse *matrix, const double *b, double *u, double *r);
void sn_sparse_residual_f32(sn_sparse *matrix, const float *b, float *u, float *r);

/* product.c: c = A B, where the rows of B are the columns of A. Terms of a block are added along
 * the row of A. */
SN_CHECKED sn_status sn_sparse_product(sn_sparse *a, const sn_sparse *b, sn_sparse *c);

/* transpose.c. */
SN_CHECKED sn_status sn_sparse_transpose(const sn_sparse *matrix, sn_sparse *transposed);

#endif
