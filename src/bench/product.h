/* What a product with the stiffness matrix has to move, counted from the data structures. */
#ifndef SN_BENCH_PRODUCT_H
#define SN_BENCH_PRODUCT_H

#include "elastic/operator.h"

/* Collective. Bytes for an element, with reals of so many: its stiffness, its nodes' numbers and
 * what hangs; and its share of the nodes' values, read once, and cleared, read and written in the
 * sum. `reals_alone` is without numbers. */
double sn_bench_product_bytes(const sn_operator *op, size_t real, double *reals_alone);

#endif
