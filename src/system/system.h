/* The linear system of one level,
 *
 *     A = stiffness (K + S) + inertia M      on the free nodes,
 *
 * where K is the elements' stiffness, with what damping adds to it (each element has its own), S
 * that of springs, and M the lumped masses. Pinned nodes are said once, by a mask: A u is zero
 * there, and u must be.
 *
 * Knows what A is, its product with a field, and its diagonal. Knows nothing of what approximates
 * its inverse (preconditioner.h), of coarser levels (levels.h), or of steps and their potential.
 *
 * A free node has stiffness or mass: the diagonal of A is positive there. Smoothers are given a
 * diagonal D that is no less than that of A, and is more where it has to be, so that
 *
 *     A <= bound D
 *
 * for a bound that is found once, at rest (multigrid/smooth.h). Elements that are not nearly flat
 * have the stiffness that they have at rest, turned, and their part of D is their diagonal; what is
 * beyond it, and springs, have a diagonal that is sure for any bound (sn_operator_diagonal_f64,
 * sn_spring_set_diagonal_add); masses are their own.
 *
 * Springs come in slots, one for each source of forces, and are added up in the slots' order. All
 * calls but `free` and `memory` are collective. */
#ifndef SN_SYSTEM_SYSTEM_H
#define SN_SYSTEM_SYSTEM_H

#include "elastic/operator.h"
#include "springs/springs.h"

enum { SN_SPRING_SLOTS = 8 };

typedef struct {
    sn_octree *tree; /* the caller's */
    sn_operator op;
    double *mass;    /* of the owned nodes */
    uint8_t *pinned; /* of the owned nodes: the mask of field/field.h */

    sn_locator locator; /* made with the first springs */
    sn_spring_set springs[SN_SPRING_SLOTS];
    int64_t changes[SN_SPRING_SLOTS]; /* of each slot's matrices so far: coarser levels follow */

    bool damped;     /* on all ranks, also on those without elements: */
    double *damping; /* of the owned elements */
    double rate;     /* of velocity for a change of position */

    double stiffness, inertia; /* the factors in A, as the rest from the last linearisation */
    double *added;             /* to the diagonal at each owned node: inertia, and on coarser levels
                                * what finer pins hold there */
    double bound;              /* A is at most so many times D: see sn_system_set_bound */
    float *inverse_diagonal;   /* of D without the mask; 0 where there is nothing to invert */
    sn_local n_pinned;         /* owned nodes that are pinned, */
    sn_local *pinned_node;     /* which they are, ascending, */
    double *pinned_diagonal;   /* and the trace of D's stiffness there */
    double *position;          /* of the owned nodes, if somebody wants them: */
    bool keeps_position;
    bool keeps_gradient;    /* somebody wants F of the elements */
    sn_local gradient_room; /* and so much room for it */
    bool is_new;            /* who follows this system has not followed the last linearisation */
    float (*gradient)[9];   /* F of the owned elements, if it is new and wanted */
    sn_field_pool spare;    /* fields of this level for who solves, and minimises */
} sn_system;

/* Parameters of the owned elements, mass and pinned of the owned nodes; all are copied. With
 * `single` A can be applied in single precision, too. The tree must stay. After a failure there is
 * nothing to free. */
SN_CHECKED sn_status sn_system_create(sn_octree *tree, sn_law_kind law,
                                      const sn_law_parameters *parameters, const double *mass,
                                      const uint8_t *pinned, bool single, sn_system *system);
void sn_system_free(sn_system *system);

/* Damping (elastic/damping.h) of the owned elements, which must always be the same, in steps of
 * this rate. A has it from the next linearisation on. */
void sn_system_set_damping(sn_system *system, const double *damping, double rate);

/* Where rates of strain are measured from, after that: `now` times the strains at x and `before`
 * times those at x_before. Elastic forces and summaries have the damping's part from the next
 * linearisation on, until the strains are dropped. Both are fields. */
void sn_system_damp_from(sn_system *system, double now, double *x, double before, double *x_before);
void sn_system_drop_strain(sn_system *system);

/* Replaces the springs of a slot; any rank may give any spring. They count from the next
 * linearisation on, which must come before the next product. After a failure the slot is empty. */
SN_CHECKED sn_status sn_system_set_springs(sn_system *system, int slot, const sn_spring *springs,
                                           size_t n);

/* The springs of a slot, to be given other targets or to be looked at. */
static inline sn_spring_set *sn_system_springs(sn_system *system, int slot)
{
    return &system->springs[slot];
}

/* Replaces the springs of a slot by those of a finer system's (sn_spring_set_coarsen). */
SN_CHECKED sn_status sn_system_coarsen_springs(sn_system *system, int slot, const sn_system *finer);

/* Of all springs: are there any? Their energy at x, and f += -dE/dx. */
bool sn_system_has_springs(const sn_system *system);
double sn_system_spring_energy(sn_system *system, const double *x);
void sn_system_spring_force_add(sn_system *system, const double *x, double *f);

/* Limits of friction of all slots follow the forces at x (sn_spring_set_relimit). */
void sn_system_relimit_friction(sn_system *system, const double *x);

/* The worst of all slots (sn_spring_set_friction_error). */
sn_friction_error sn_system_friction_error(sn_system *system, const double *x);

/* Linearises about the positions x: elements and springs. With `f`, that is the elastic force
 * there, which then costs next to nothing. The second is for when springs or inertia are others
 * since then, the third for springs alone. */
sn_deformation_summary sn_system_linearise(sn_system *system, double *x, double stiffness,
                                           double inertia, double *f);
void sn_system_relinearise(sn_system *system, const double *x, double inertia);

void sn_system_linearise_springs(sn_system *system, const double *x);

/* The bound that D follows from the next linearisation on; 1 if nothing is said. */
void sn_system_set_bound(sn_system *system, double bound);

/* Linearises about the shape at rest, with a stiffness of 1 and without inertia. Springs that
 * depend on positions stay as they are. */
void sn_system_linearise_at_rest(sn_system *system);

/* The same for a level that has no positions: from given gradients of the owned elements (there is
 * room for ghosts behind them), and what finer pins hold at each owned node. */
void sn_system_linearise_about(sn_system *system, float (*gradient)[9], const double *held,
                               double stiffness, double inertia);

/* From now on linearisations leave the elements' deformation gradients, in an array with room for
 * so many, for who makes coarser levels of them. That one takes the array, and frees it; who needs
 * it no longer drops it. */
void sn_system_keep_gradient(sn_system *system, sn_local room);
float (*sn_system_take_gradient(sn_system *system))[9];
void sn_system_drop_gradient(sn_system *system);

/* From now on linearisations leave the positions that they are about. */
void sn_system_keep_positions(sn_system *system);

/* Elastic energy and shape at x; the linearisation stays as it is. */
sn_deformation_summary sn_system_inspect(sn_system *system, double *x);

/* f = the elastic force at x, and that of damping. */
void sn_system_elastic_force(sn_system *system, double *x, double *f);

/* An entry of D, by its real's number; 0 where there is nothing, or where pinned. */
static inline double sn_system_diagonal(const sn_system *system, sn_local real)
{
    float inverse = system->inverse_diagonal[real];
    return system->pinned[real / SN_NODE_REALS] || !(inverse > 0) ? 0 : 1 / (double)inverse;
}

/* The mean of D over the mean mass, at free nodes. */
double sn_system_stiffness_to_mass(const sn_system *system);

/* What an element's stiffness is about multiplied by, for coarser levels. */
static inline double sn_system_element_weight(const sn_system *system, sn_local element)
{
    return system->damped ? 1 + system->rate * system->damping[element] : 1;
}

/* out = A u; zero where pinned. u must be zero there. */
void sn_system_apply_f64(sn_system *system, double *u, double *out);
void sn_system_apply_f32(sn_system *system, float *u, float *out);

/* r = b - A u; zero where pinned. */
void sn_system_residual_f64(sn_system *system, const double *b, double *u, double *r);
void sn_system_residual_f32(sn_system *system, const float *b, float *u, float *r);

size_t sn_system_memory(const sn_system *system);

/* Of that, what a level with so many owned nodes holds in nodal values. */
size_t sn_system_nodal_memory(size_t nodes);

#endif
