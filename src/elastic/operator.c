#include "elastic/operator.h"

#include "base/array.h"
#include "base/threads.h"

#include <math.h>
#include <omp.h>

/* What an element costs, in items of simple loops. */
enum { ITEMS_OF_ELEMENT = 8 };

#define SN_PRECISION 32
#include "elastic/operator.inc"
#define SN_PRECISION 64
#include "elastic/operator.inc"

static void take_materials(sn_operator *op, const double *mu, const double *lambda)
{
    sn_octree *tree = op->tree;
    sn_leaves elements = sn_octree_elements(tree);
    op->mu = SN_NEW(double, elements.n);
    op->lambda = SN_NEW(double, elements.n);
    op->edge = SN_NEW(double, elements.n);
    for (size_t e = 0; e < elements.n; e++)
        op->edge[e] =
            tree->bodies->body[sn_key_body(elements.key[e])].cell * sn_edge(elements.height[e]);
    if (tree->n_elements) {
        memcpy(op->mu, mu, (size_t)tree->n_elements * sizeof *mu);
        memcpy(op->lambda, lambda, (size_t)tree->n_elements * sizeof *lambda);
    }
    sn_leaves_free(&elements);
}

static void fill_ghosts(sn_operator *op, void *values, size_t bytes)
{
    sn_element_exchange_begin(&op->elements, values, bytes);
    sn_element_exchange_end(&op->elements);
}

static void share_materials(sn_operator *op)
{
    fill_ghosts(op, op->mu, sizeof *op->mu);
    fill_ghosts(op, op->lambda, sizeof *op->lambda);
}

void sn_operator_set_materials(sn_operator *op, const double *mu, const double *lambda)
{
    size_t n = (size_t)op->tree->n_elements;
    if (n) {
        memcpy(op->mu, mu, n * sizeof *mu);
        memcpy(op->lambda, lambda, n * sizeof *lambda);
    }
    share_materials(op);
}

sn_status sn_operator_create(sn_octree *tree, const double *mu, const double *lambda, bool single,
                             sn_operator *op)
{
    *op = (sn_operator){.tree = tree, .assembly = sn_assembly_create(tree, omp_get_max_threads())};
    take_materials(op, mu, lambda);
    size_t groups = (size_t)op->assembly.n_groups, slots = (size_t)op->assembly.n_slots;
    op->wide = SN_NEW_ZERO(sn_batch_f64, groups * SN_BATCHES_TO_NARROW);
    op->slot_f64 = SN_NEW(double, SN_NODE_REALS *slots);
    if (single) {
        op->narrow = SN_NEW_ZERO(sn_batch_f32, groups);
        op->slot_f32 = SN_NEW(float, SN_NODE_REALS *slots);
    }
    sn_status status = sn_element_exchange_create(tree, &op->elements);
    if (status != SN_OK) {
        sn_operator_free(op);
        return status;
    }
    share_materials(op);
    return SN_OK;
}

void sn_operator_free(sn_operator *op)
{
    if (op->tree)
        sn_assembly_free(&op->assembly);
    sn_element_exchange_free(&op->elements);
    sn_free(op->mu);
    sn_free(op->lambda);
    sn_free(op->edge);
    sn_free(op->wide);
    sn_free(op->narrow);
    sn_free(op->slot_f64);
    sn_free(op->slot_f32);
    sn_free(op->weight);
    *op = (sn_operator){0};
}

size_t sn_operator_memory_of(const sn_assembly *a, bool single)
{
    size_t elements = (size_t)a->tree->n_elements + (size_t)a->tree->n_ghost_elements;
    size_t groups = (size_t)a->n_groups, slots = (size_t)a->n_slots;
    size_t bytes = sn_assembly_memory(a) + 3 * elements * sizeof(double) +
                   groups * SN_BATCHES_TO_NARROW * sizeof(sn_batch_f64) +
                   SN_NODE_REALS * slots * sizeof(double);
    if (single)
        bytes += groups * sizeof(sn_batch_f32) + SN_NODE_REALS * slots * sizeof(float);
    return bytes;
}

size_t sn_operator_memory(const sn_operator *op)
{
    return sn_operator_memory_of(&op->assembly, op->narrow != NULL) +
           sn_element_exchange_memory(&op->elements);
}

/* The elements of a batch in double precision; empty lanes have an edge and nothing else. */
static void load_cells(const sn_operator *op, sn_local batch, sn_cells_f64 *cells)
{
    const sn_local *element = op->assembly.order + (size_t)batch * SN_LANES_F64;
    for (int lane = 0; lane < SN_LANES_F64; lane++) {
        bool empty = element[lane] == SN_EMPTY_LANE;
        cells->edge[lane] = empty ? 1 : op->edge[element[lane]];
        cells->mu[lane] = empty ? 0 : op->mu[element[lane]];
        cells->lambda[lane] = empty ? 0 : op->lambda[element[lane]];
    }
}

/* K is linear in mu, lambda and L. */
SN_INLINE sn_batch_f64 weighted(const sn_batch_f64 *batch, const sn_pack_f64 *weight,
                                sn_local number)
{
    sn_batch_f64 w = *batch;
    if (!weight)
        return w;
    for (int k = 0; k < 6; k++)
        w.l[k] *= weight[number];
    w.mu *= weight[number];
    w.lambda *= weight[number];
    return w;
}

static void narrow_group(sn_operator *op, sn_local group)
{
    if (!op->narrow)
        return;
    sn_batch_f64 wide[SN_BATCHES_TO_NARROW];
    for (int b = 0; b < SN_BATCHES_TO_NARROW; b++) {
        sn_local batch = group * SN_BATCHES_TO_NARROW + b;
        wide[b] = weighted(&op->wide[batch], op->weight, batch);
    }
    sn_batch_narrow(wide, op->narrow + group);
}

/* This rank's part of a summary; only owned elements count. */
typedef struct {
    sn_sum energy;
    double least;
    int64_t inverted;
} tally;

static void count_lane(const sn_operator *op, sn_local element, const sn_deformation_f64 *d,
                       int lane, double (*gradient)[9], tally *t)
{
    if (element == SN_EMPTY_LANE || element >= op->tree->n_elements)
        return;
    sn_sum_add(&t->energy, d->energy[lane]);
    t->least = fmin(t->least, d->determinant[lane]);
    t->inverted += !(d->determinant[lane] > 0);
    for (int k = 0; gradient && k < 9; k++)
        gradient[element][k] = d->gradient[k][lane];
}

static void update_group(sn_operator *op, sn_local group, const double *x, sn_batch_f64 *batches,
                         double (*gradient)[9], tally *t)
{
    for (int b = 0; b < SN_BATCHES_TO_NARROW; b++) {
        sn_local batch = group * SN_BATCHES_TO_NARROW + b;
        sn_lane_room room;
        sn_lanes lanes;
        if (sn_assembly_lanes(&op->assembly, group, b * SN_LANES_F64, SN_LANES_F64, &room,
                              &lanes) == 0)
            continue;
        sn_cells_f64 cells;
        sn_deformation_f64 deformation;
        load_cells(op, batch, &cells);
        sn_batch_update_f64(&cells, &lanes, x, &batches[b], &deformation);
        for (int lane = 0; lane < SN_LANES_F64; lane++)
            count_lane(op, op->assembly.order[(size_t)batch * SN_LANES_F64 + (size_t)lane],
                       &deformation, lane, gradient, t);
    }
}

/* Collective. With `keep`, the batches become the operator's. */
static sn_deformation_summary visit_elements(sn_operator *op, double *x, bool keep,
                                             double (*gradient)[9])
{
    sn_field_fill_ghosts(op->tree, x);
    tally all = {.least = INFINITY};
#pragma omp parallel
    {
        tally mine = {.least = INFINITY};
#pragma omp for schedule(static)
        for (sn_local group = 0; group < op->assembly.n_groups; group++) {
            sn_batch_f64 passing[SN_BATCHES_TO_NARROW];
            update_group(op, group, x,
                         keep ? op->wide + (size_t)group * SN_BATCHES_TO_NARROW : passing, gradient,
                         &mine);
            if (keep)
                narrow_group(op, group);
        }
#pragma omp critical
        {
            sn_sum_merge(&all.energy, &mine.energy);
            all.least = fmin(all.least, mine.least);
            all.inverted += mine.inverted;
        }
    }
    MPI_Comm comm = op->tree->comm;
    sn_sum_allreduce(comm, &all.energy, 1);
    MPI_Allreduce(MPI_IN_PLACE, &all.least, 1, MPI_DOUBLE, MPI_MIN, comm);
    MPI_Allreduce(MPI_IN_PLACE, &all.inverted, 1, MPI_INT64_T, MPI_SUM, comm);
    return (sn_deformation_summary){sn_sum_value(&all.energy), all.least, all.inverted};
}

sn_deformation_summary sn_operator_update(sn_operator *op, double *x, double (*gradient)[9])
{
    return visit_elements(op, x, true, gradient);
}

double sn_operator_energy(sn_operator *op, double *x)
{
    return visit_elements(op, x, false, NULL).energy;
}

void sn_operator_linearise(sn_operator *op, double (*gradient)[9])
{
    fill_ghosts(op, gradient, sizeof *gradient);
    bool threads = sn_worth_threads(ITEMS_OF_ELEMENT * (int64_t)op->tree->n_elements);
#pragma omp parallel for schedule(static) if (threads)
    for (sn_local group = 0; group < op->assembly.n_groups; group++) {
        for (int b = 0; b < SN_BATCHES_TO_NARROW; b++) {
            sn_local batch = group * SN_BATCHES_TO_NARROW + b;
            const sn_local *element = op->assembly.order + (size_t)batch * SN_LANES_F64;
            sn_pack_f64 f[9];
            for (int k = 0; k < 9; k++)
                for (int lane = 0; lane < SN_LANES_F64; lane++)
                    f[k][lane] = element[lane] == SN_EMPTY_LANE ? k % 4 == 0 /* identity */
                                                                : gradient[element[lane]][k];
            sn_cells_f64 cells;
            load_cells(op, batch, &cells);
            sn_batch_linearise_f64(&cells, f, &op->wide[batch]);
        }
        narrow_group(op, group);
    }
}

SN_INLINE void force_kernel(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                            const double *x, sn_quad_f64 share[SN_LANES_F64][8])
{
    sn_cells_f64 cells;
    load_cells(op, batch, &cells);
    sn_batch_force_f64(&op->wide[batch], &cells, lanes, x, share);
}

void sn_operator_force(sn_operator *op, double *x, double *f)
{
    sum_over_elements_f64(op, force_kernel, x, f);
}

SN_INLINE void diagonal_kernel(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                               const double *field, sn_quad_f64 share[SN_LANES_F64][8])
{
    (void)field;
    sn_batch_f64 w = weighted(&op->wide[batch], op->weight, batch);
    sn_batch_diagonal_f64(&w, lanes, share);
}

void sn_operator_diagonal_f64(sn_operator *op, double *diagonal)
{
    sum_over_elements_f64(op, diagonal_kernel, NULL, diagonal);
}

sn_pack_f64 *sn_operator_weights(sn_operator *op, const double *weight)
{
    const sn_octree *tree = op->tree;
    double *all = SN_NEW(double, tree->n_elements + tree->n_ghost_elements);
    if (tree->n_elements)
        memcpy(all, weight, (size_t)tree->n_elements * sizeof *all);
    fill_ghosts(op, all, sizeof *all);
    size_t batches = (size_t)op->assembly.n_groups * SN_BATCHES_TO_NARROW;
    sn_pack_f64 *packs = SN_NEW_ZERO(sn_pack_f64, batches);
    for (size_t lane = 0; lane < batches * SN_LANES_F64; lane++)
        if (op->assembly.order[lane] != SN_EMPTY_LANE)
            packs[lane / SN_LANES_F64][lane % SN_LANES_F64] = all[op->assembly.order[lane]];
    sn_free(all);
    return packs;
}

void sn_operator_set_weight(sn_operator *op, const double *weight)
{
    sn_free(op->weight);
    op->weight = sn_operator_weights(op, weight);
}

SN_INLINE void weighted_kernel(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                               const double *field, sn_quad_f64 share[SN_LANES_F64][8])
{
    sn_batch_f64 w = weighted(&op->wide[batch], op->applied, batch);
    sn_batch_apply_f64(&w, lanes, field, share);
}

void sn_operator_apply_weighted(sn_operator *op, const sn_pack_f64 *weight, double *u, double *out)
{
    op->applied = weight;
    sum_over_elements_f64(op, weighted_kernel, u, out);
}
