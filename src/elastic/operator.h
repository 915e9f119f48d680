/* The elastic operator of one level: forces, and the matrix-free product with the stiffness
 * matrix K (sections 4.2 and 9), on all ranks and threads.
 *
 * What is read of a field is exchanged inside, while elements that need no ghost are worked on, so
 * the ghosts of an input are always overwritten; of an output only the owned nodes are set.
 *
 * Elements keep what their law wants once: in double precision, or in single precision where a
 * preconditioner wants it. Products are in double precision with either, and exact enough for any
 * solve: of a matrix whose numbers were rounded once. Forces and energies never see these. Hides
 * batches, threads and the order of sums (assembly.h), and the law but for its number (law.h). */
#ifndef SN_ELASTIC_OPERATOR_H
#define SN_ELASTIC_OPERATOR_H

#include "base/exact_sum.h"
#include "elastic/assembly.h"
#include "elastic/damping.h"
#include "elastic/law.h"
#include "octree/element_exchange.h"

/* Strains of a batch's elements, in units of each, and the share of damping from there (damping.h).
 */
typedef struct {
    int16_t of[SN_STRAIN_REALS][SN_LANES_F64];
    float unit[SN_LANES_F64], share[SN_LANES_F64];
} sn_strain_batch;

/* now times the strains at x, and before times those at x_before. */
typedef struct {
    double now, before;
    const double *x, *x_before;
} sn_strain_mix;

typedef struct sn_operator {
    sn_octree *tree;
    sn_law_kind law;
    sn_assembly assembly;
    sn_element_exchange elements;  /* values of elements to ghosts */
    sn_law_parameters *parameters; /* of all local elements, ghosts included */
    bool isotropic;                /* none of them asks for the rotation of hourglass modes */
    uint16_t *size;                /* of them: where its edge is */
    double *edge;                  /* of the cells of each body, of each height */
    const float (*point)[3]; /* of them: where F is asked for; NULL: at the centres. The caller's */
    sn_local *point_row;     /* for each group: its row of points, or SN_NONE */
    float (*points)[3][SN_GROUP];
    size_t n_point_rows;
    bool single;         /* the law's batches are kept in single precision: */
    sn_pack_f32 *narrow; /* one for each group of the assembly, with damping; or NULL, and */
    sn_pack_f64 *wide;   /* SN_BATCHES_TO_NARROW for each group, without */
    double *slot_f64;
    float *slot_f32;
    const double *inside; /* the caller's: see sn_operator_overlook; NULL: all are whole */
    double least_inside;
    double excess_share;     /* in the diagonal */
    sn_pack_f64 *damping;    /* of a batch's elements; NULL: nothing is damped */
    sn_strain_batch *strain; /* that their rates are measured from, batch by batch; or NULL */
} sn_operator;

/* Collective. The parameters are those of the owned elements; those of bodies that are `left_out`,
 * if that is given, count as if they were not there. With `single` the operator can be applied in
 * single precision, too. The tree must stay. */
SN_CHECKED sn_status sn_operator_create(sn_octree *tree, sn_law_kind law,
                                        const sn_law_parameters *parameters,
                                        const uint8_t *left_out, bool single, sn_operator *op);
void sn_operator_free(sn_operator *op);

/* Not collective. Of all local elements: where the one-point rule asks for F, in halves of an edge
 * from the element's centre. They are the caller's and must stay. Without this, and with NULL, it
 * is at the centres. No point is farther out than SN_FARTHEST_POINT along an axis: near a side the
 * nodes of the other side are all but free, and solves take more iterations (15 instead of 10 on
 * the creature). */
#define SN_FARTHEST_POINT 0.75F
void sn_operator_set_points(sn_operator *op, const float (*point)[3]);

/* The edge of a local element. */
static inline double sn_operator_edge(const sn_operator *op, sn_local element)
{
    return op->edge[op->size[element]];
}

/* One coordinate of an element's point. */
static inline float sn_operator_point(const sn_operator *op, sn_local element, int d)
{
    float p = op->point[element][d], most = SN_FARTHEST_POINT;
    return p < -most ? -most : p > most ? most : p;
}

/* Collective: other parameters of the owned elements, from the next linearisation on. */
void sn_operator_set_parameters(sn_operator *op, const sn_law_parameters *owned);
size_t sn_operator_memory(const sn_operator *op);

/* Of that, what is for the elements alone, without the exchange: an operator of this law on this
 * assembly, with or without single precision, would hold so much. */
size_t sn_operator_memory_of(const sn_assembly *assembly, sn_law_kind law, bool single);

/* How many reals the law keeps for an element. */
size_t sn_operator_element_reals(const sn_operator *op);

/* What an update found, over all ranks. */
typedef struct {
    double energy;            /* elastic */
    double damping;           /* the damping's part of a step's potential */
    double least_determinant; /* of F at the elements' centres */
    int64_t inverted;         /* elements whose determinant is not positive */
} sn_deformation_summary;

/* From now on elements of which less than `least` is inside are not looked at for determinants:
 * slivers without flesh may be crushed and mean nothing. One fraction for each owned element; the
 * array must stay. */
void sn_operator_overlook(sn_operator *op, const double *inside, double least);

/* Collective. Linearises about the positions x, with the definiteness fix of algorithm 1. With `f`,
 * that is the force there, as below. */
sn_deformation_summary sn_operator_update(sn_operator *op, double *x, double *f);

/* Collective: F of each owned element at x, for the next coarser level, which only preconditions:
 * single precision is enough. */
void sn_operator_gradients(sn_operator *op, double *x, float (*gradient)[9]);

/* Collective: the same about given F of the owned elements; coarse levels have no positions
 * (section 7.3). `gradient` needs room for the ghost elements' behind them. */
void sn_operator_linearise(sn_operator *op, float (*gradient)[9]);

/* Collective: the same summary of other positions, for line searches and for who only wants to
 * know; the linearisation stays as it is. */
sn_deformation_summary sn_operator_inspect(sn_operator *op, double *x);

/* Collective: f = -dE/dx at x, and what damping adds to it. */
void sn_operator_force(sn_operator *op, double *x, double *f);

/* Collective: out = K u. */
void sn_operator_apply_f64(sn_operator *op, double *u, double *out);
void sn_operator_apply_f32(sn_operator *op, float *u, float *out);

/* Collective: damping from the next linearisation on, for each owned element times the rate of its
 * step. K and its diagonal have it then. */
void sn_operator_set_damping(sn_operator *op, const double *factor);

/* Collective: where rates of strain are measured from, once something is damped: a mix of the
 * strains at two fields of positions, whose ghosts are filled. From the next update on, force and
 * summary have the damping of the changes since then. */
void sn_operator_damp_from(sn_operator *op, double now, double *x, double before, double *x_before);

/* From now on force and summary have no damping. Not collective. */
void sn_operator_drop_strain(sn_operator *op);

/* The diagonal of K (section 7.4); and so much of a diagonal matrix that is no less than what K has
 * beyond a stiffness as at rest, where elements are nearly flat (the law's excess, kernels.h). That
 * share is none until it is set. */
void sn_operator_diagonal_f64(sn_operator *op, double *diagonal);
static inline void sn_operator_set_excess_share(sn_operator *op, double share)
{
    op->excess_share = share;
}

/* What one batch of the assembly adds to K u; its lanes may be given other nodes. */
void sn_operator_batch_apply(const sn_operator *op, sn_local batch, const sn_lanes *lanes,
                             const double *u, sn_shares_f64 *shares);

/* An element at its centre, for output: the determinant of F, and the invariants of Kirchhoff's
 * stress P F^T. Pressure is positive where flesh is squeezed. */
typedef struct {
    double determinant, von_mises, pressure;
} sn_element_measure;

/* Of n local elements in any order, at the x whose ghosts are filled. */
void sn_operator_measure(const sn_operator *op, const double *x, const sn_local *element, size_t n,
                         sn_element_measure *measure);

#endif
