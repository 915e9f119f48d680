#include "partition/curve_order.h"

sn_curve_order sn_curve_order_create(MPI_Comm comm, const sn_owners *owners, const sn_key *keys,
                                     size_t n)
{
    int size;
    MPI_Comm_size(comm, &size);
    sn_owners along = sn_owners_along_curve(owners, size);
    sn_curve_order order = {.out = sn_migration_create(comm, keys, n, &along)};
    sn_owners_free(&along);
    order.n = order.out.n_after;
    order.in = sn_migration_create(comm, order.out.keys, order.n, owners);
    int64_t mine = (int64_t)order.n, up_to_me;
    MPI_Scan(&mine, &up_to_me, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(&mine, &order.rows, 1, MPI_INT64_T, MPI_SUM, comm);
    order.first = up_to_me - mine;
    return order;
}

void *sn_curve_order_out(const sn_curve_order *order, size_t bytes, const void *rows)
{
    return sn_migrate(&order->out, bytes, rows);
}

void *sn_curve_order_in(const sn_curve_order *order, size_t bytes, const void *slab)
{
    return sn_migrate(&order->in, bytes, slab);
}

void sn_curve_order_free(sn_curve_order *order)
{
    sn_migration_free(&order->out);
    sn_migration_free(&order->in);
    *order = (sn_curve_order){0};
}
