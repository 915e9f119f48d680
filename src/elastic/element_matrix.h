/* The stiffness matrices of single elements, for who assembles K: one after the other along the
 * curve, ghost elements among them, so that sums over elements have the same bits on any number of
 * ranks. Few of them are in memory at a time. */
#ifndef SN_ELASTIC_ELEMENT_MATRIX_H
#define SN_ELASTIC_ELEMENT_MATRIX_H

#include "elastic/operator.h"

enum { SN_ELEMENT_REALS = 24 }; /* of eight nodes */

/* At the element's conforming nodes, in their order. */
typedef struct {
    sn_local element;
    double k[SN_ELEMENT_REALS][SN_ELEMENT_REALS];
} sn_element_matrix;

typedef void sn_element_matrix_function(void *context, const sn_element_matrix *matrix);

/* Not collective. Calls `take` for each local element, with the matrix of the last linearisation.
 */
void sn_operator_each_matrix(const sn_operator *op, sn_element_matrix_function *take,
                             void *context);

#endif
