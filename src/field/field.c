#include "field/field.h"

#include "base/array.h"
#include "base/exact_sum.h"
#include "base/threads.h"
#include "base/work.h"

#include <math.h>

#define SN_PRECISION 32
#include "field/field.inc"
#define SN_PRECISION 64
#include "field/field.inc"

double *sn_field_borrow(sn_field_pool *pool, const sn_octree *tree)
{
    return pool->n > 0 ? pool->spare[--pool->n] : sn_field_new_f64(tree);
}

void sn_field_give_back(sn_field_pool *pool, double *u)
{
    if (pool->n < SN_MOST_SPARE_FIELDS)
        pool->spare[pool->n++] = u;
    else
        sn_free(u);
}

void sn_field_pool_drop(sn_field_pool *pool, int fields)
{
    for (int i = 0; i < fields && pool->n > 0; i++)
        sn_free(pool->spare[--pool->n]);
}

void sn_field_pool_empty(sn_field_pool *pool)
{
    sn_field_pool_drop(pool, SN_MOST_SPARE_FIELDS);
}

void sn_field_fill_ghosts(sn_octree *tree, double *u)
{
    sn_exchange_begin(&tree->exchange, u, SN_NODE_REALS * sizeof *u);
    sn_exchange_end(&tree->exchange);
}

double sn_field_norm(const sn_octree *tree, const double *u)
{
    return sqrt(sn_field_dot_f64(tree, u, u));
}

void sn_field_dots(const sn_octree *tree, int n, const sn_field_pair *pairs, double *dots)
{
    sn_sum sums[SN_MOST_DOTS] = {0};
    for (int i = 0; i < n; i++)
        sn_sum_add_dot_threaded_f64(&sums[i], pairs[i].u, pairs[i].v, (size_t)sn_field_reals(tree));
    sn_sum_allreduce(tree->comm, sums, n);
    for (int i = 0; i < n; i++)
        dots[i] = sn_sum_value(&sums[i]);
}

double sn_field_largest(const sn_octree *tree, const double *u)
{
    double largest = 0;
    sn_work_begin(SN_WORK_SUMS);
    sn_local n = sn_field_reals(tree);
#pragma omp parallel for schedule(static) reduction(max : largest) if (sn_worth_threads((int64_t)n))
    for (sn_local i = 0; i < n; i++)
        largest = fmax(largest, fabs(u[i]));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, tree->comm);
    sn_work_end();
    return largest;
}

void sn_field_combine(const sn_octree *tree, double a, const double *u, double b, const double *v,
                      double c, double *out)
{
    sn_work_begin(SN_WORK_VECTORS);
    sn_local n = sn_field_reals(tree);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local i = 0; i < n; i++)
        out[i] = (a * u[i] + b * v[i]) / c;
    sn_work_end();
}

void sn_field_difference(const sn_octree *tree, double factor, const double *u, const double *v,
                         double *out)
{
    sn_work_begin(SN_WORK_VECTORS);
    sn_local n = sn_field_reals(tree);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local i = 0; i < n; i++)
        out[i] = factor * (u[i] - v[i]);
    sn_work_end();
}

void sn_field_way_to(const sn_octree *tree, const sn_prediction *p, const double *u, double *out)
{
    sn_work_begin(SN_WORK_VECTORS);
    sn_local n = sn_field_reals(tree);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local i = 0; i < n; i++)
        out[i] = sn_prediction_at(p, i) - u[i];
    sn_work_end();
}

void sn_field_mass_vector(const sn_octree *tree, const double *mass, const double vector[3],
                          double *out)
{
    sn_work_begin(SN_WORK_VECTORS);
    sn_local n = sn_field_reals(tree);
#pragma omp parallel for schedule(static) if (sn_worth_threads((int64_t)n))
    for (sn_local i = 0; i < n; i++)
        out[i] = mass[i / SN_NODE_REALS] * vector[i % SN_NODE_REALS];
    sn_work_end();
}

/* Terms are added up some at a time, as arrays: that is much faster than one by one. */
enum { TERMS = 256 * SN_NODE_REALS };

static void add_mass_squares(double factor, const double *mass, const double *u,
                             const sn_prediction *p, sn_local first, sn_local end, sn_sum *sum)
{
    double term[TERMS];
    for (sn_local i = first; i < end; i++) {
        double away = p ? u[i] - sn_prediction_at(p, i) : u[i];
        term[i - first] = factor * mass[i / SN_NODE_REALS] * away * away;
    }
    sn_sum_add_array(sum, term, (size_t)(end - first));
}

static void add_mass_products(const double *mass, const double vector[3], const double *u,
                              sn_local first, sn_local end, sn_sum *sum)
{
    double term[TERMS];
    for (sn_local i = first; i < end; i++)
        term[i - first] = mass[i / SN_NODE_REALS] * vector[i % SN_NODE_REALS] * u[i];
    sn_sum_add_array(sum, term, (size_t)(end - first));
}

double sn_field_mass_dot(const sn_octree *tree, const double *mass, const double vector[3],
                         const double *u)
{
    sn_sum all = {0};
    sn_local n = sn_field_reals(tree);
    sn_work_begin(SN_WORK_SUMS);
    sn_work_moves((double)n * sizeof *u);
#pragma omp parallel if (sn_worth_threads((int64_t)n))
    {
        sn_sum mine = {0};
#pragma omp for schedule(static)
        for (sn_local first = 0; first < n; first += TERMS)
            add_mass_products(mass, vector, u, first, first + TERMS < n ? first + TERMS : n, &mine);
#pragma omp critical(sn_field_mass_dot)
        sn_sum_merge(&all, &mine);
    }
    sn_sum_allreduce(tree->comm, &all, 1);
    sn_work_end();
    return sn_sum_value(&all);
}

double sn_field_mass_square(const sn_octree *tree, double factor, const double *mass,
                            const double *u, const sn_prediction *p)
{
    sn_sum all = {0};
    sn_local n = sn_field_reals(tree);
    sn_work_begin(SN_WORK_SUMS);
    sn_work_moves((p ? 5 : 1) * (double)n * sizeof *u);
#pragma omp parallel if (sn_worth_threads((int64_t)n))
    {
        sn_sum mine = {0};
#pragma omp for schedule(static)
        for (sn_local first = 0; first < n; first += TERMS)
            add_mass_squares(factor, mass, u, p, first, first + TERMS < n ? first + TERMS : n,
                             &mine);
#pragma omp critical(sn_field_mass_square)
        sn_sum_merge(&all, &mine);
    }
    sn_sum_allreduce(tree->comm, &all, 1);
    sn_work_end();
    return sn_sum_value(&all);
}
