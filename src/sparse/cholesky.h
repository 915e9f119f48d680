/* The Cholesky factor of a sparse matrix of small dense blocks, on one rank.
 *
 * Rows are eliminated in an order that keeps the factor sparse: always one with the fewest others
 * left beside it (minimum degree), of those the first. For bodies whose parts are thin that is
 * nearly along the parts: of spikes, teeth and fingers a factor has a few times the matrix's
 * entries; of a matrix that is full it is full.
 *
 * A column's blocks stand together as one panel, its own first, by columns: so that products run
 * along whole panels. All sums are in one order.
 *
 *      own    [\]
 *      below  [#]     rows of L in this column of blocks, in the order of elimination
 *      below  [#]
 */
#ifndef SN_SPARSE_CHOLESKY_H
#define SN_SPARSE_CHOLESKY_H

#include "base/index.h"

#include <stdbool.h>
#include <stddef.h>

/* Which rows are beside which: those of row i are beside[first[i]] to beside[first[i + 1] - 1], in
 * any order, and each is beside the other. A row itself may be among them. */
typedef struct {
    int n;
    const size_t *first;
    const sn_local *beside;
} sn_graph;

typedef struct {
    int block, n;
    sn_local *place; /* of each row in the order of elimination, */
    sn_local *row;   /* and the row at each place */
    size_t *first;   /* n + 1: into `below` */
    sn_local *below; /* places of a column's blocks, ascending, its own first */
    double *panel;   /* entries; NULL until they are asked for */
    double *room;    /* of the longest panel, by a block's reals */
    size_t room_reals;
    double *ordered; /* a vector in the order of elimination */
} sn_cholesky;

/* The order and the places of all blocks. Takes room and time as of the square of n over 64. */
void sn_cholesky_analyse(const sn_graph *graph, int block, sn_cholesky *factor);
void sn_cholesky_free(sn_cholesky *factor);

/* Reals of the factor, whether they are there yet or not. */
size_t sn_cholesky_reals(const sn_cholesky *factor);
size_t sn_cholesky_memory(const sn_cholesky *factor);

/* Entries are zero, then set block by block (by columns; of the two that mirror each other one is
 * taken), which must have a place, then factorised. False if the matrix is not positive definite.
 */
void sn_cholesky_clear(sn_cholesky *factor);
void sn_cholesky_set(sn_cholesky *factor, sn_local row, sn_local column, const double *block);
bool sn_cholesky_factorise(sn_cholesky *factor);

/* An entry of the diagonal, before it is factorised. */
double *sn_cholesky_diagonal(sn_cholesky *factor, sn_local row, int real);

/* x = A^-1 x, by rows. */
void sn_cholesky_solve(sn_cholesky *factor, double *x);

#endif
