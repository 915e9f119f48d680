/* The multigrid preconditioner (section 7): one cycle on all levels of the hierarchy, a V-cycle
 * or one that visits the coarse levels more often.
 *
 * The system on each level is  A = stiffness (K + S) + mass M  on the free nodes, where each
 * element's part of K may have a weight (damping differs from element to element), and S is that of
 * the springs, embedded in each level; pinned nodes are held and have zeros in every vector here.
 * Coarse levels are discretised directly: parameters are coarsened as the law says, masses and
 * pins restricted, deformation gradients averaged, and K is applied matrix-free everywhere.
 * Smoothing is damped Jacobi, or Chebyshev polynomials of it on the upper part of the spectrum; the
 * coarsest level is solved exactly.
 *
 * Inside, all is single precision, if it is not asked for double: a preconditioner need not be more
 * exact than that. As an operator the cycle is symmetric and positive definite up to rounding: the
 * same smoother before and after, and restriction the transpose of prolongation. */
#ifndef SN_MULTIGRID_MULTIGRID_H
#define SN_MULTIGRID_MULTIGRID_H

#include "elastic/operator.h"
#include "io/scene/scene.h"
#include "multigrid/coarsest.h"
#include "multigrid/transfer/transfer.h"
#include "octree/hierarchy.h"
#include "springs/family.h"

typedef struct {
    sn_smoother smoother;
    int degree;        /* sweeps of Jacobi, or the polynomial's degree at Poisson's ratio 0.3; it is
                        * raised for flesh that is less compressible */
    double damping;    /* of Jacobi */
    double fraction;   /* of the spectrum, from above, that Chebyshev smoothes */
    int repeat_from;   /* the finest level whose cycle is done twice; 0: none */
    int repeat_levels; /* how many levels are, from there on */
    sn_precision precision;
} sn_multigrid_settings;

/* By iterations and processor time to 1e-6 on the cube of section 10.4. At 64 and 128 cells a
 * side, fractions from 0.75 to 0.95, eigenvalues with less margin, and no pins on coarse levels
 * but those at the same place made a difference of one iteration; pinning every coarse node that a
 * pinned one reaches did not converge in 30. Plain V-cycles need more iterations with every level:
 * 12, 15, 18, 21 from 32 to 256 cells (18 at 256 with degree 3, in the same time). With the cycle
 * done twice on all levels from 2 on it was 11 at each of these sizes, in 0.56 of the time at 256;
 * from level 1 on it was no fewer, and from level 3 on 13. The coarsest level is visited twice as
 * often with every such level, so three of them are: 10, 10, 11, 12 from 32 to 256 cells. On a
 * creature of six levels one, two or all three of them made a difference of one iteration. Single
 * precision is the faster one: it moves half of the bytes. */
#define SN_MULTIGRID_DEFAULTS                                                                      \
    ((sn_multigrid_settings){.smoother = SN_SMOOTH_CHEBYSHEV,                                      \
                             .degree = 2,                                                          \
                             .damping = 0.3,                                                       \
                             .fraction = 0.875,                                                    \
                             .repeat_from = 2,                                                     \
                             .repeat_levels = 3,                                                   \
                             .precision = SN_PRECISION_AUTO})

/* Vectors of a level, in the precision of the cycle only. The saved ones are for cycles that are
 * done twice. */
typedef struct {
    float *b, *x, *r, *p, *t, *saved_b, *saved_x, *saved_r;
} sn_level_work_f32;
typedef struct {
    double *b, *x, *r, *p, *t, *saved_b, *saved_x, *saved_r;
} sn_level_work_f64;

typedef struct {
    sn_octree *tree;
    sn_operator op;
    sn_transfer transfer; /* to the next coarser level; none on the coarsest */
    double *mass;         /* of the owned nodes */
    uint8_t *pinned;      /* 1 or 0 for each owned node */
    double *added;        /* to the diagonal at each owned node: mass, and what finer pins hold */
    float *inverse_diagonal; /* of A; 0 where pinned */
    double largest;          /* bound of the eigenvalues of D^-1 A */
    double largest_of_cycle; /* the same for the cycle times A, where it is done twice */
    sn_level_work_f32 work_f32;
    sn_level_work_f64 work_f64;
} sn_multigrid_level;

typedef struct {
    int n_levels;
    sn_multigrid_level level[SN_MAX_LEVELS];
    sn_coarsest coarsest;
    sn_multigrid_settings settings;
    double stiffness, mass;            /* the factors in A */
    sn_locator locator[SN_MAX_LEVELS]; /* made with the first springs */
    sn_spring_family ties, contacts;
    sn_law_kind law;
    sn_law_parameters *parameters; /* of the finest level's owned elements */
    double *damping;               /* of them, or NULL */
    double rate; /* weights of the finest operator, where there are any, are 1 + rate damping */
    sn_pack_f64 *damping_weight;
} sn_multigrid;

/* Collective. The law and its parameters for the finest level's owned elements, mass and pinned of
 * its owned nodes. The hierarchy must stay. */
SN_CHECKED sn_status sn_multigrid_create(sn_hierarchy *forest, sn_law_kind law,
                                         const sn_law_parameters *parameters, const double *mass,
                                         const uint8_t *pinned, sn_multigrid_settings settings,
                                         sn_multigrid *mg);
void sn_multigrid_free(sn_multigrid *mg);

/* Does the cycle work in single precision? */
bool sn_multigrid_is_single(const sn_multigrid *mg);

/* Collective. Rayleigh damping: each element's stiffness is weighted by 1 + rate times its
 * damping. mg->damping_weight then serves for damping forces. Counts from the next update on. */
void sn_multigrid_set_damping(sn_multigrid *mg, const double *damping, double rate);

/* Collective. Replaces the springs of a kind, those that tie flesh to bones or those of contacts;
 * any rank may give any spring. They count from the next update on, which must come before the next
 * product. After a failure there are none of that kind. */
SN_CHECKED sn_status sn_multigrid_set_ties(sn_multigrid *mg, const sn_spring *springs, size_t n);
SN_CHECKED sn_status sn_multigrid_set_contacts(sn_multigrid *mg, const sn_spring *springs,
                                               size_t n);

/* Collective: both kinds together, on the finest level: their energy at x, and f += -dE/dx. */
bool sn_multigrid_has_springs(const sn_multigrid *mg);
double sn_multigrid_spring_energy(sn_multigrid *mg, const double *x);
void sn_multigrid_spring_force_add(sn_multigrid *mg, const double *x, double *f);

/* Collective. Linearises all levels about positions x of the finest level, for
 * A = stiffness (K + S) + mass M: then forces and products can be asked for. */
SN_CHECKED sn_status sn_multigrid_linearise(sn_multigrid *mg, double *x, double stiffness,
                                            double mass, sn_deformation_summary *summary);

/* Collective. Makes smoothers and the coarsest factor for it: then cycles can be. It costs as much
 * as a few of them, and where forces balance already there is nothing to solve. */
SN_CHECKED sn_status sn_multigrid_prepare(sn_multigrid *mg);

/* Collective. Both. */
SN_CHECKED sn_status sn_multigrid_update(sn_multigrid *mg, double *x, double stiffness, double mass,
                                         sn_deformation_summary *summary);

/* Collective: out = A u on the finest level in double precision; zero where pinned. u must be
 * zero there. */
void sn_multigrid_apply(sn_multigrid *mg, double *u, double *out);

/* Collective: z = the cycle applied to r, both fields of the finest level. */
void sn_multigrid_cycle(sn_multigrid *mg, const double *r, double *z);

size_t sn_multigrid_memory(const sn_multigrid *mg);

/* Of that, what a level with so many owned and ghost nodes holds in nodal values. */
size_t sn_multigrid_nodal_memory(size_t nodes, size_t ghosts, bool single, bool repeats);

#endif
