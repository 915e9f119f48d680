/* Rows in the order of the whole curve, whatever the partition: for files.
 *
 * Each rank has rows by key. Along the curve they are in the order of their keys over all ranks,
 * and rank r has those before rank r+1's: slabs of one array, `first` and on. Rows go out to it
 * and come back in. Nothing depends on the number of ranks but where the slabs are cut. */
#ifndef SN_PARTITION_CURVE_ORDER_H
#define SN_PARTITION_CURVE_ORDER_H

#include "partition/migrate.h"

typedef struct {
    sn_migration out, in;
    int64_t first, rows; /* this rank's first row in the array, and rows of all ranks */
    size_t n;            /* this rank's rows in the array */
} sn_curve_order;

/* Collective, as all but the last. `keys` are the rows that this rank has now: ascending, and
 * equal ones on one rank, as `owners` says. */
sn_curve_order sn_curve_order_create(MPI_Comm comm, const sn_owners *owners, const sn_key *keys,
                                     size_t n);

/* This rank's rows to slabs; the caller frees what is returned. */
void *sn_curve_order_out(const sn_curve_order *order, size_t bytes, const void *rows);

/* The slabs back to the ranks that the rows belong to. */
void *sn_curve_order_in(const sn_curve_order *order, size_t bytes, const void *slab);

void sn_curve_order_free(sn_curve_order *order);

#endif
