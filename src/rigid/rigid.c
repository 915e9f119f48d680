#include "rigid/rigid.h"

#include "base/array.h"
#include "base/timer.h"
#include "field/field.h"
#include "rigid/aggregates.h"
#include "rigid/tentative.h"

#include <math.h>

/* Levels of the forest from one level of aggregates to the next: aggregates of 4x4x4 cells. */
enum { JUMP = 2 };

/* In the step of the smoother, times the largest eigenvalue: what makes P least rough. */
static const double SMOOTHING = 4.0 / 3;

/* ---- Which aggregates there are. ---- */

static int64_t count_everywhere(const sn_unknowns *u)
{
    int64_t n = u->n;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, u->comm);
    return n;
}

/* The containers of a level: elements of the forest; beyond its coarsest level octants around
 * them. */
typedef struct {
    const sn_octree *tree;
    int height;
} container_kind;

static container_kind containers_of(const sn_hierarchy *forest, int from, int level)
{
    int wanted = from + JUMP * level, last = forest->n_levels - 1;
    if (wanted <= last)
        return (container_kind){&forest->level[wanted], 0};
    int height = wanted < SN_MAX_ROOT_HEIGHT ? wanted : SN_MAX_ROOT_HEIGHT;
    return (container_kind){&forest->level[last], height};
}

/* Adds a level, if it is smaller than the last one. */
static sn_status add_level(sn_rigid_levels *r, const sn_hierarchy *forest, int from,
                           sn_aggregates *a, int64_t *count)
{
    sn_rigid_level *last = &r->level[r->n - 1], *next = last + 1;
    container_kind kind = containers_of(forest, from, r->n);
    SN_TRY(sn_aggregates_grow(a, kind.tree, kind.height, &last->unknowns, &next->unknowns,
                              &last->parent));
    next->reals = SN_MODES;
    *count = count_everywhere(&next->unknowns);
    r->n++;
    return SN_OK;
}

static sn_status add_levels(sn_rigid_levels *r, const sn_hierarchy *forest, int from,
                            sn_aggregates *a)
{
    int64_t count = INT64_MAX;
    while (r->n < SN_MOST_RIGID_LEVELS && count > SN_FEW_AGGREGATES)
        SN_TRY(add_level(r, forest, from, a, &count));
    return SN_OK;
}

sn_status sn_rigid_create(sn_hierarchy *forest, int from, const uint8_t *pinned, bool single,
                          sn_rigid_levels *r)
{
    sn_octree *tree = &forest->level[from];
    *r = (sn_rigid_levels){.single = single, .n = 1};
    r->level[0].reals = SN_NODE_REALS;
    r->level[0].unknowns = (sn_unknowns){.comm = tree->comm,
                                         .owners = &tree->owners,
                                         .n = tree->n_nodes,
                                         .key = sn_octree_node_keys(tree)};
    sn_aggregates aggregates;
    sn_status status = sn_aggregates_create(tree, pinned, &aggregates);
    if (status == SN_OK) {
        status = add_levels(r, forest, from, &aggregates);
        sn_aggregates_free(&aggregates);
    }
    if (status != SN_OK)
        sn_rigid_free(r);
    return status;
}

/* What belongs to a linearisation. */
static void clear_level(sn_rigid_level *v)
{
    sn_sparse_free(&v->matrix);
    sn_sparse_free(&v->prolongation);
    sn_sparse_free(&v->restriction);
    sn_free(v->inverse_diagonal);
    sn_free(v->motion);
    v->inverse_diagonal = NULL;
    v->motion = NULL;
}

void sn_rigid_free(sn_rigid_levels *r)
{
    for (int l = 0; l < r->n; l++) {
        clear_level(&r->level[l]);
        sn_free(r->level[l].unknowns.key);
        sn_free(r->level[l].parent);
    }
    *r = (sn_rigid_levels){0};
}

/* ---- What follows a linearisation. ---- */

void sn_rigid_begin(sn_rigid_levels *r, sn_sparse matrix, const double *x)
{
    for (int l = 0; l < r->n; l++)
        clear_level(&r->level[l]);
    sn_rigid_level *v = &r->level[0];
    v->matrix = matrix;
    v->motion = SN_NEW(sn_rigid_unknown, v->unknowns.n);
    for (sn_local i = 0; i < v->unknowns.n; i++)
        v->motion[i] = sn_rigid_node(x + SN_NODE_REALS * i);
}

static double *diagonal_of(const sn_sparse *m)
{
    double *diagonal = SN_NEW(double, m->height * m->rows->n);
    for (sn_local i = 0; i < m->rows->n; i++) {
        const double *block = sn_sparse_block(m, sn_sparse_find(m, i, m->rows->key[i]));
        for (int r = 0; r < m->height; r++)
            diagonal[m->height * i + r] = block[(m->height + 1) * r];
    }
    return diagonal;
}

static double inverse_of(double diagonal)
{
    double inverse = 1 / diagonal;
    return diagonal > 0 && isfinite((float)inverse) ? inverse : 0;
}

/* From A T to P, row by row; T is where the pattern of A T has it. */
static void smooth(const float *inverse, const sn_sparse *t, double step, sn_sparse *p)
{
    for (sn_local i = 0; i < p->rows->n; i++) {
        for (sn_local k = p->first[i]; k < p->first[i + 1]; k++)
            for (int c = 0; c < p->width; c++)
                for (int r = 0; r < p->height; r++)
                    sn_sparse_block(p, k)[c * p->height + r] *=
                        -step * (double)inverse[p->height * i + r];
        for (sn_local k = t->first[i]; k < t->first[i + 1]; k++) {
            double *to = sn_sparse_block(p, sn_sparse_find(p, i, sn_sparse_key(t, k)));
            for (size_t e = 0; e < sn_sparse_block_reals(t); e++)
                to[e] += sn_sparse_block(t, k)[e];
        }
    }
}

static sn_status make_prolongation(sn_rigid_level *v, sn_rigid_level *next, const float *inverse,
                                   double largest)
{
    sn_sparse tentative;
    next->motion = SN_NEW(sn_rigid_unknown, next->unknowns.n);
    SN_TRY(sn_tentative_create(&v->unknowns, v->reals, v->parent, v->motion, &next->unknowns,
                               next->motion, &tentative));
    sn_status status = sn_sparse_product(&v->matrix, &tentative, &v->prolongation);
    if (status == SN_OK)
        smooth(inverse, &tentative, SMOOTHING / largest, &v->prolongation);
    sn_sparse_free(&tentative);
    return status;
}

/* P^T (A P). */
static sn_status make_matrix(sn_rigid_level *v, sn_rigid_level *next)
{
    sn_sparse product;
    SN_TRY(sn_sparse_transpose(&v->prolongation, &v->restriction));
    SN_TRY(sn_sparse_product(&v->matrix, &v->prolongation, &product));
    sn_status status = sn_sparse_product(&v->restriction, &product, &next->matrix);
    sn_sparse_free(&product);
    return status;
}

static void make_inverse_diagonal(sn_rigid_level *v)
{
    double *diagonal = diagonal_of(&v->matrix);
    sn_local n = v->reals * v->unknowns.n;
    v->inverse_diagonal = SN_NEW(float, n);
    for (sn_local i = 0; i < n; i++)
        v->inverse_diagonal[i] = (float)inverse_of(diagonal[i]);
    sn_free(diagonal);
}

static void narrow(const sn_rigid_levels *r, sn_sparse *m)
{
    if (!r->single)
        return;
    if (!m->narrow)
        sn_sparse_narrow(m);
    sn_sparse_drop_wide(m);
}

sn_status sn_rigid_coarsen(sn_rigid_levels *r, int level, const float *inverse, double largest)
{
    sn_rigid_level *v = &r->level[level], *next = v + 1;
    sn_phase_begin("multigrid/rigid motions");
    sn_status status = make_prolongation(v, next, inverse, largest);
    if (status == SN_OK)
        status = make_matrix(v, next);
    sn_phase_end("multigrid/rigid motions");
    SN_TRY(status);
    make_inverse_diagonal(next);
    if (r->single)
        sn_sparse_narrow(&next->matrix);
    narrow(r, &v->prolongation);
    narrow(r, &v->restriction);
    if (level == 0)
        sn_sparse_free(&v->matrix);
    else
        narrow(r, &v->matrix);
    return SN_OK;
}

void sn_rigid_end(sn_rigid_levels *r)
{
    narrow(r, &r->level[r->n - 1].matrix);
    for (int l = 0; l < r->n; l++) {
        sn_free(r->level[l].motion);
        r->level[l].motion = NULL;
    }
}

size_t sn_rigid_memory(const sn_rigid_levels *r)
{
    size_t bytes = 0;
    for (int l = 0; l < r->n; l++) {
        const sn_rigid_level *v = &r->level[l];
        bytes += (size_t)v->unknowns.n * (sizeof *v->unknowns.key + sizeof *v->parent) +
                 sn_sparse_memory(&v->matrix) + sn_sparse_memory(&v->prolongation) +
                 sn_sparse_memory(&v->restriction);
        if (l > 0)
            bytes += (size_t)(v->reals * v->unknowns.n) * sizeof *v->inverse_diagonal;
    }
    return bytes;
}
