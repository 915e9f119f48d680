/* Nodal fields: three reals for each local node of a level, the owned ones first, then the ghosts,
 * and room for SN_FIELD_SLACK more at the end.
 *
 * What is done to a whole field is done here, with threads: who has a field need not loop over it.
 * Only owned nodes are read and written, if it is not said otherwise; sums over all ranks are exact
 * before they are rounded, so nothing here depends on ranks or threads. A mask has a byte for each
 * owned node, which is not 0 where the node is pinned: a field of displacements or forces is zero
 * there. Everything that cycles use exists in both precisions (base/precision.inc). Smoothers alone
 * loop over their vectors themselves: they fuse several updates of a polynomial into one pass. */
#ifndef SN_FIELD_FIELD_H
#define SN_FIELD_FIELD_H

#include "field/reals.h"
#include "octree/octree.h"

/* Nodes are read four numbers at a time, so an array has one number more than its nodes need. (A
 * fourth number for each node was no faster, and every vector would be a third longer.) */
enum { SN_NODE_REALS = 3, SN_FIELD_SLACK = 1 };

/* Reals of the owned nodes. */
static inline sn_local sn_field_reals(const sn_octree *tree)
{
    return SN_NODE_REALS * tree->n_nodes;
}

/* A field of zeros; the caller frees it with sn_free. */
double *sn_field_new_f64(const sn_octree *tree);
float *sn_field_new_f32(const sn_octree *tree);

/* Fields that are lent to phases that never meet, so that they share the memory. What comes back is
 * kept for the next one who asks, with whatever it holds. Zeroed memory is an empty pool. */
enum { SN_MOST_SPARE_FIELDS = 8 };
typedef struct {
    int n;
    double *spare[SN_MOST_SPARE_FIELDS];
} sn_field_pool;

double *sn_field_borrow(sn_field_pool *pool, const sn_octree *tree);
void sn_field_give_back(sn_field_pool *pool, double *u);

/* Frees some of what is not lent, for who needs the memory now. */
void sn_field_pool_drop(sn_field_pool *pool, int fields);

/* Frees what is not lent. */
void sn_field_pool_empty(sn_field_pool *pool);

/* Collective: ghosts get their owners' values. */
void sn_field_fill_ghosts(sn_octree *tree, double *u);

void sn_field_clear_f64(const sn_octree *tree, double *u);
void sn_field_clear_f32(const sn_octree *tree, float *u);
void sn_field_copy_f64(const sn_octree *tree, double *to, const double *from);
void sn_field_copy_f32(const sn_octree *tree, float *to, const float *from);

/* out = u + factor v; out may be one of them. */
void sn_field_add_f64(const sn_octree *tree, const double *u, double factor, const double *v,
                      double *out);
void sn_field_add_f32(const sn_octree *tree, const float *u, float factor, const float *v,
                      float *out);

/* out = (a u + b v) / c, and out = factor (u - v); out may be one of them. */
void sn_field_combine(const sn_octree *tree, double a, const double *u, double b, const double *v,
                      double c, double *out);
void sn_field_difference(const sn_octree *tree, double factor, const double *u, const double *v,
                         double *out);

/* A field that is worked out wherever it is asked for, from four others:
 *
 *     (now x + before x_before) / sum + step (now v + before v_before) / sum */
typedef struct {
    double now, before, sum, step;
    const double *x, *x_before, *v, *v_before;
} sn_prediction;

static inline double sn_prediction_at(const sn_prediction *p, sn_local real)
{
    double from = (p->now * p->x[real] + p->before * p->x_before[real]) / p->sum;
    return from + p->step * ((p->now * p->v[real] + p->before * p->v_before[real]) / p->sum);
}

/* out = what is predicted - u. */
void sn_field_way_to(const sn_octree *tree, const sn_prediction *prediction, const double *u,
                     double *out);

/* out = m times a vector that is the same for all, at nodes of mass m. */
void sn_field_mass_vector(const sn_octree *tree, const double *mass, const double vector[3],
                          double *out);

/* Zeros where the mask says so. */
void sn_field_mask_f64(const sn_octree *tree, const uint8_t *pinned, double *u);
void sn_field_mask_f32(const sn_octree *tree, const uint8_t *pinned, float *u);

/* Collective: u.v, and |u|. */
double sn_field_dot_f64(const sn_octree *tree, const double *u, const double *v);
double sn_field_dot_f32(const sn_octree *tree, const float *u, const float *v);
double sn_field_norm(const sn_octree *tree, const double *u);

/* Collective: several dot products with one reduction. */
enum { SN_MOST_DOTS = 8 };
typedef struct {
    const double *u, *v;
} sn_field_pair;
void sn_field_dots(const sn_octree *tree, int n, const sn_field_pair *pairs, double *dots);

/* Collective: the largest of all numbers' magnitudes. */
double sn_field_largest(const sn_octree *tree, const double *u);

/* Collective: the sum of m vector.u, with masses m of nodes. */
double sn_field_mass_dot(const sn_octree *tree, const double *mass, const double vector[3],
                         const double *u);

/* Collective: the sum of factor m (u - what is predicted)^2 over the reals of nodes of mass m; with
 * NULL nothing is. With half of a factor it is an energy. */
double sn_field_mass_square(const sn_octree *tree, double factor, const double *mass,
                            const double *u, const sn_prediction *prediction);

#endif
