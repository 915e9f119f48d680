/* The elastic operator of one level: forces, and the matrix-free product with the stiffness
 * matrix K (sections 4.2 and 9), on all ranks and threads.
 *
 * What is read of a field is exchanged inside, while elements that need no ghost are worked on, so
 * the ghosts of an input are always overwritten; of an output only the owned nodes are set.
 *
 * Elements keep 12 reals of stiffness in double precision, and in single precision as well where
 * a preconditioner wants it. Hides batches, threads and the order of sums (assembly.h). */
#ifndef SN_ELASTIC_OPERATOR_H
#define SN_ELASTIC_OPERATOR_H

#include "base/exact_sum.h"
#include "elastic/assembly.h"
#include "octree/element_exchange.h"

typedef struct {
    sn_octree *tree;
    sn_assembly assembly;
    sn_element_exchange elements; /* values of elements to ghosts */
    double *mu, *lambda, *edge;   /* of all local elements, ghosts included */
    sn_batch_f64 *wide;           /* SN_BATCHES_TO_NARROW for each group of the assembly */
    sn_batch_f32 *narrow;         /* one for each group, or NULL */
    double *slot_f64;
    float *slot_f32;
    sn_pack_f64 *weight;        /* of the elements in single precision and the diagonal; NULL: 1 */
    const sn_pack_f64 *applied; /* of the product under way */
} sn_operator;

/* Collective. mu and lambda are those of the owned elements; with `single` the operator can be
 * applied in single precision, too. The tree must stay. */
SN_CHECKED sn_status sn_operator_create(sn_octree *tree, const double *mu, const double *lambda,
                                        bool single, sn_operator *op);
void sn_operator_free(sn_operator *op);

/* Collective: other mu and lambda of the owned elements, from the next linearisation on. */
void sn_operator_set_materials(sn_operator *op, const double *mu, const double *lambda);
size_t sn_operator_memory(const sn_operator *op);

/* Of that, what is for the elements alone, without the exchange: an operator on this assembly, with
 * or without single precision, would hold so much. */
size_t sn_operator_memory_of(const sn_assembly *assembly, bool single);

/* What an update found, over all ranks. */
typedef struct {
    double energy;
    double least_determinant; /* of F at the elements' centres */
    int64_t inverted;         /* elements whose determinant is not positive */
} sn_deformation_summary;

/* Collective. Linearises about the positions x, with the definiteness fix of algorithm 1. With
 * `gradient`, F of each owned element is kept there, for the next coarser level. */
sn_deformation_summary sn_operator_update(sn_operator *op, double *x, double (*gradient)[9]);

/* Collective: the same about given F of the owned elements; coarse levels have no positions
 * (section 7.3). `gradient` needs room for the ghost elements' behind them. */
void sn_operator_linearise(sn_operator *op, double (*gradient)[9]);

/* Collective: the energy at x alone, for line searches; the linearisation stays as it is. */
double sn_operator_energy(sn_operator *op, double *x);

/* Collective: f = -dE/dx at the x of the last update. */
void sn_operator_force(sn_operator *op, double *x, double *f);

/* Collective: out = K u. */
void sn_operator_apply_f64(sn_operator *op, double *u, double *out);
void sn_operator_apply_f32(sn_operator *op, float *u, float *out);

/* Weights of the elements, one for each owned one; collective. The caller frees the array, which
 * is in the order in which the operator works. */
sn_pack_f64 *sn_operator_weights(sn_operator *op, const double *weight);

/* Collective: from the next linearisation on, products in single precision and the diagonal are
 * weighted by these, one for each owned element. */
void sn_operator_set_weight(sn_operator *op, const double *weight);

/* Collective: out = K u with each element's part multiplied by its weight. */
void sn_operator_apply_weighted(sn_operator *op, const sn_pack_f64 *weight, double *u, double *out);

/* The diagonal of K (section 7.4), weighted by op->weight as the product in single precision. */
void sn_operator_diagonal_f64(sn_operator *op, double *diagonal);

#endif
