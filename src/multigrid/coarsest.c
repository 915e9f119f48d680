#include "multigrid/coarsest.h"

#include "base/array.h"
#include "base/sort.h"
#include "base/timer.h"
#include "curve/search.h"
#include "partition/records.h"
#include "springs/gather.h"

#include <math.h>
#include <string.h>

/* Relative to the largest diagonal entry: added where a body could move freely. */
static const double SHIFT = 1e-9;

enum { NODE_DOFS = SN_NODE_REALS, ELEMENT_DOFS = 8 * NODE_DOFS };

/* Counts of one kind of thing on each rank, turned into counts and starts of `width` items. */
static int gather_counts(MPI_Comm comm, int mine, int width, int *counts, int *starts)
{
    int size, total = 0;
    MPI_Comm_size(comm, &size);
    int scaled = mine * width;
    MPI_Allgather(&scaled, 1, MPI_INT, counts, 1, MPI_INT, comm);
    for (int r = 0; r < size; r++) {
        starts[r] = total;
        total += counts[r];
    }
    return total;
}

void sn_coarsest_create(const sn_octree *tree, sn_coarsest *c)
{
    *c = (sn_coarsest){.comm = MPI_COMM_NULL, .n_own = tree->n_nodes};
    int has_some = tree->n_octants > 0, rank, size;
    MPI_Comm_split(tree->comm, has_some ? 0 : MPI_UNDEFINED, 0, &c->comm);
    if (c->comm == MPI_COMM_NULL)
        return;
    MPI_Comm_rank(c->comm, &rank);
    MPI_Comm_size(c->comm, &size);
    c->counts = SN_NEW(int, size);
    c->starts = SN_NEW(int, size);
    c->n = gather_counts(c->comm, tree->n_nodes, 1, c->counts, c->starts);
    c->first_own = c->starts[rank];
    sn_key *own = sn_octree_node_keys(tree), *all = SN_NEW(sn_key, c->n);
    MPI_Allgatherv(own, tree->n_nodes, MPI_UINT64_T, all, c->counts, c->starts, MPI_UINT64_T,
                   c->comm);
    uint32_t *order = SN_NEW(uint32_t, c->n);
    sn_sort_keys_with_order(all, order, (size_t)c->n);
    c->place = SN_NEW(sn_local, c->n);
    for (int row = 0; row < c->n; row++)
        c->place[order[row]] = row;
    for (int r = 0; r < size; r++) {
        c->counts[r] *= NODE_DOFS;
        c->starts[r] *= NODE_DOFS;
    }
    size_t dofs = NODE_DOFS * (size_t)c->n;
    c->factor = SN_NEW(double, dofs *dofs);
    c->values = SN_NEW(double, dofs);
    c->gathered = SN_NEW(double, dofs);
    sn_free(own);
    sn_free(all);
    sn_free(order);
}

size_t sn_coarsest_memory_of(size_t nodes)
{
    size_t dofs = SN_NODE_REALS * nodes;
    return (dofs * dofs + 2 * dofs) * sizeof(double) + nodes * sizeof(sn_local);
}

void sn_coarsest_free(sn_coarsest *c)
{
    if (c->comm != MPI_COMM_NULL)
        MPI_Comm_free(&c->comm);
    sn_free(c->factor);
    sn_free(c->values);
    sn_free(c->gathered);
    sn_free(c->counts);
    sn_free(c->starts);
    sn_free(c->place);
    *c = (sn_coarsest){.comm = MPI_COMM_NULL};
}

/* One element's stiffness matrix at its conforming nodes, and who it is. */
typedef struct {
    sn_key key, node[8];
    double k[ELEMENT_DOFS][ELEMENT_DOFS];
} element_matrix;

/* The columns of a batch's matrices, by products with unit vectors. Each lane has eight nodes of
 * its own here, so that all lanes are asked at once. */
static void fill_columns(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                         element_matrix *out[])
{
    sn_local node[SN_LANES_F64][8];
    for (int lane = 0; lane < SN_LANES_F64; lane++)
        for (int corner = 0; corner < 8; corner++)
            node[lane][corner] = 8 * lane + corner;
    sn_lanes own = *lanes;
    own.node = (const sn_local(*)[8])node;
    double unit[NODE_DOFS * 8 * SN_LANES_F64 + SN_FIELD_SLACK] = {0};
    for (int column = 0; column < ELEMENT_DOFS; column++) {
        sn_quad_f64 share[SN_LANES_F64][8];
        for (int lane = 0; lane < SN_LANES_F64; lane++)
            unit[ELEMENT_DOFS * lane + column] = 1;
        sn_operator_batch_apply(op, batch, &own, unit, share);
        for (int lane = 0; lane < SN_LANES_F64; lane++)
            unit[ELEMENT_DOFS * lane + column] = 0;
        for (int lane = 0; lane < lanes->count; lane++)
            for (int row = 0; row < ELEMENT_DOFS; row++)
                if (out[lane])
                    out[lane]->k[row][column] = share[lane][row / NODE_DOFS][row % NODE_DOFS];
    }
}

static element_matrix *owned_matrices(const sn_operator *op)
{
    const sn_octree *tree = op->tree;
    element_matrix *matrices = SN_NEW_ZERO(element_matrix, tree->n_elements);
    sn_leaves elements = sn_octree_elements(tree);
    sn_key *node_keys = sn_octree_node_keys(tree);
    for (sn_local e = 0; e < tree->n_elements; e++) {
        matrices[e].key = elements.key[e];
        for (int corner = 0; corner < 8; corner++)
            matrices[e].node[corner] = node_keys[tree->conforming[e][corner]];
    }
    for (sn_local batch = 0; batch < op->assembly.n_groups * SN_BATCHES_TO_NARROW; batch++) {
        const sn_local *element = op->assembly.order + (size_t)batch * SN_LANES_F64;
        sn_lane_room room;
        sn_lanes lanes;
        int lane0 = batch % SN_BATCHES_TO_NARROW * SN_LANES_F64;
        if (sn_assembly_lanes(&op->assembly, batch / SN_BATCHES_TO_NARROW, lane0, SN_LANES_F64,
                              &room, &lanes) == 0)
            continue;
        element_matrix *out[SN_LANES_F64] = {0};
        for (int lane = 0; lane < lanes.count; lane++)
            if (element[lane] < tree->n_elements)
                out[lane] = &matrices[element[lane]];
        fill_columns(op, batch, &lanes, out);
    }
    sn_leaves_free(&elements);
    sn_free(node_keys);
    return matrices;
}

/* All elements' matrices on every rank, along the curve. */
static element_matrix *all_matrices(MPI_Comm comm, const sn_operator *op, size_t *n)
{
    element_matrix *own = owned_matrices(op);
    sn_inbox in = sn_records_gather(comm, sizeof *own, own, (size_t)op->tree->n_elements);
    sn_free(own);
    element_matrix *all = sn_inbox_take(&in, n);
    sn_sort_records(all, sizeof *all, *n);
    return all;
}

/* A value of every node along the curve, from the owners' values. */
static double *gather_nodes(sn_coarsest *c, const double *own)
{
    int size;
    MPI_Comm_size(c->comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size);
    gather_counts(c->comm, c->n_own, 1, counts, starts);
    double *arrived = SN_NEW(double, c->n), *along = SN_NEW(double, c->n);
    MPI_Allgatherv(own, c->n_own, MPI_DOUBLE, arrived, counts, starts, MPI_DOUBLE, c->comm);
    for (int i = 0; i < c->n; i++)
        along[c->place[i]] = arrived[i];
    sn_free(arrived);
    sn_free(counts);
    sn_free(starts);
    return along;
}

static void add_elements(sn_coarsest *c, const sn_operator *op, double stiffness,
                         const sn_key *node_keys)
{
    size_t n;
    element_matrix *all = all_matrices(c->comm, op, &n);
    size_t dofs = NODE_DOFS * (size_t)c->n;
    sn_search search = sn_search_create(node_keys, (size_t)c->n);
    for (size_t e = 0; e < n; e++) {
        size_t row[ELEMENT_DOFS];
        for (int i = 0; i < ELEMENT_DOFS; i++)
            row[i] = NODE_DOFS * (size_t)sn_search_find(&search, all[e].node[i / NODE_DOFS]) +
                     (size_t)(i % NODE_DOFS);
        for (int i = 0; i < ELEMENT_DOFS; i++)
            for (int j = 0; j < ELEMENT_DOFS; j++)
                c->factor[row[i] * dofs + row[j]] += stiffness * all[e].k[i][j];
    }
    sn_search_free(&search);
    sn_free(all);
}

/* w M w^T between all nodes of a spring. */
static void add_spring(sn_coarsest *c, const sn_gathered_spring *s, double stiffness,
                       const sn_search *search)
{
    static const int place[NODE_DOFS][NODE_DOFS] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    size_t dofs = NODE_DOFS * (size_t)c->n, row[SN_SPRING_NODES];
    for (sn_local k = 0; k < s->n_nodes; k++)
        row[k] = NODE_DOFS * (size_t)sn_search_find(search, s->node[k]);
    for (sn_local i = 0; i < s->n_nodes; i++)
        for (sn_local j = 0; j < s->n_nodes; j++)
            for (size_t a = 0; a < NODE_DOFS; a++)
                for (size_t b = 0; b < NODE_DOFS; b++)
                    c->factor[(row[i] + a) * dofs + row[j] + b] +=
                        stiffness * s->weight[i] * s->weight[j] * s->matrix.m[place[a][b]];
}

static void add_springs(sn_coarsest *c, const sn_spring_set *set, double stiffness,
                        const sn_key *node_keys)
{
    if (set->n_everywhere == 0)
        return;
    size_t n;
    sn_gathered_spring *all = sn_spring_set_gather(set, c->comm, &n);
    sn_search search = sn_search_create(node_keys, (size_t)c->n);
    for (size_t i = 0; i < n; i++)
        add_spring(c, &all[i], stiffness, &search);
    sn_search_free(&search);
    sn_free(all);
}

static sn_key *all_node_keys(sn_coarsest *c, const sn_octree *tree)
{
    int size;
    MPI_Comm_size(c->comm, &size);
    int *counts = SN_NEW(int, size), *starts = SN_NEW(int, size);
    gather_counts(c->comm, c->n_own, 1, counts, starts);
    sn_key *own = sn_octree_node_keys(tree), *all = SN_NEW(sn_key, c->n);
    MPI_Allgatherv(own, c->n_own, MPI_UINT64_T, all, counts, starts, MPI_UINT64_T, c->comm);
    sn_sort_keys(all, (size_t)c->n);
    sn_free(own);
    sn_free(counts);
    sn_free(starts);
    return all;
}

/* A pinned component: its row and column become those of the identity. */
static void pin_row(double *a, size_t dofs, size_t i)
{
    for (size_t j = 0; j < dofs; j++)
        a[i * dofs + j] = a[j * dofs + i] = 0;
    a[i * dofs + i] = 1;
}

static void add_nodes(sn_coarsest *c, const double *added, const uint8_t *pinned)
{
    size_t dofs = NODE_DOFS * (size_t)c->n;
    double *own_pinned = SN_NEW(double, c->n_own);
    for (sn_local i = 0; i < c->n_own; i++)
        own_pinned[i] = pinned[i];
    double *all_added = gather_nodes(c, added), *all_pinned = gather_nodes(c, own_pinned),
           largest = 0;
    for (size_t i = 0; i < dofs; i++) {
        c->factor[i * dofs + i] += all_added[i / NODE_DOFS];
        largest = fmax(largest, c->factor[i * dofs + i]);
    }
    for (size_t i = 0; i < dofs; i++) {
        c->factor[i * dofs + i] += SHIFT * largest;
        if (all_pinned[i / NODE_DOFS] != 0)
            pin_row(c->factor, dofs, i);
    }
    sn_free(own_pinned);
    sn_free(all_added);
    sn_free(all_pinned);
}

/* Rows are eliminated in blocks, so that what is below them is read once a block. */
enum { BLOCK_ROWS = 8, ROWS_FOR_THREADS = 600 };

/* Row i, from column `from` on, less multiples of the finished rows first to end - 1. */
static void eliminate(double *a, size_t n, size_t first, size_t end, size_t i, size_t from)
{
    double *restrict row = a + i * n;
    for (size_t k = first; k < end; k++) {
        const double *restrict done = a + k * n;
        double factor = done[i];
        for (size_t j = from; j < n; j++)
            row[j] -= factor * done[j];
    }
}

/* A = U^T U; only the upper triangle is read and written. Each entry is changed in the same order
 * whatever thread does it. */
static bool cholesky(double *a, size_t n)
{
    for (size_t first = 0; first < n; first += BLOCK_ROWS) {
        size_t end = first + BLOCK_ROWS < n ? first + BLOCK_ROWS : n;
        for (size_t i = first; i < end; i++) {
            eliminate(a, n, first, i, i, i);
            double pivot = a[i * n + i];
            if (!(pivot > 0))
                return false;
            double scale = 1 / sqrt(pivot);
            for (size_t j = i; j < n; j++)
                a[i * n + j] *= scale;
        }
#pragma omp parallel for schedule(dynamic, BLOCK_ROWS) if (n - end > ROWS_FOR_THREADS)
        for (size_t i = end; i < n; i++)
            eliminate(a, n, first, end, i, i);
    }
    return true;
}

static void assemble(sn_coarsest *c, const sn_system *s)
{
    size_t dofs = NODE_DOFS * (size_t)c->n;
    memset(c->factor, 0, dofs * dofs * sizeof *c->factor);
    sn_key *keys = all_node_keys(c, s->tree);
    add_elements(c, &s->op, s->stiffness, keys);
    for (int slot = 0; slot < SN_SPRING_SLOTS; slot++)
        add_springs(c, &s->springs[slot], s->stiffness, keys);
    add_nodes(c, s->added, s->pinned);
    sn_free(keys);
}

sn_status sn_coarsest_factorise(sn_coarsest *c, const sn_system *system)
{
    sn_status status = SN_OK;
    sn_phase_begin("multigrid/coarsest factor");
    if (c->comm != MPI_COMM_NULL) {
        assemble(c, system);
        if (!cholesky(c->factor, NODE_DOFS * (size_t)c->n))
            status = SN_FAIL(SN_INACCURATE, "the coarsest level's matrix is not positive definite");
    }
    status = sn_agree(system->tree->comm, status);
    sn_phase_end("multigrid/coarsest factor");
    return status;
}

/* Several sums at once, always the same ones. */
static double dot(const double *a, const double *b, size_t n)
{
    enum { SUMS = 8 };
    double sum[SUMS] = {0}, all = 0;
    size_t i = 0;
    for (; i + SUMS <= n; i += SUMS)
        for (size_t s = 0; s < SUMS; s++)
            sum[s] += a[i + s] * b[i + s];
    for (; i < n; i++)
        all += a[i] * b[i];
    for (int s = 0; s < SUMS; s++)
        all += sum[s];
    return all;
}

static void substitute(const double *u, size_t n, double *restrict x)
{
    for (size_t i = 0; i < n; i++) {
        const double *row = u + i * n;
        x[i] /= row[i];
        for (size_t k = i + 1; k < n; k++)
            x[k] -= row[k] * x[i];
    }
    for (size_t i = n; i-- > 0;)
        x[i] = (x[i] - dot(u + i * n + i + 1, x + i + 1, n - i - 1)) / u[i * n + i];
}

#define SN_PRECISION 32
#include "multigrid/coarsest.inc"
#define SN_PRECISION 64
#include "multigrid/coarsest.inc"
