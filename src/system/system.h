/* The linear system of one level,
 *
 *     A = stiffness (K + S) + inertia M      on the free nodes,
 *
 * where K is the elements' stiffness, each element's part with a weight of its own (damping differs
 * from element to element), S that of springs, and M the lumped masses. Pinned nodes are said once,
 * by a mask: A u is zero there, and u must be.
 *
 * Knows what A is, its product with a field, and its diagonal. Knows nothing of what approximates
 * its inverse (preconditioner.h), of coarser levels (levels.h), or of steps and their potential.
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

    double *damping; /* of the owned elements; NULL: none */
    double rate;     /* weights are 1 + rate damping */
    sn_pack_f64 *damping_weight;

    double stiffness, inertia; /* the factors in A, as the rest from the last linearisation */
    double *added;             /* to the diagonal at each owned node: inertia, and on coarser levels
                                * what finer pins hold there */
    float *inverse_diagonal;   /* of A without the mask; 0 where there is nothing to invert */
    double *pinned_diagonal;   /* of the pinned nodes in their order: the trace of K + S there */
    bool keeps_gradient;       /* somebody wants F of the elements */
    sn_local gradient_room;    /* and so much room for it */
    bool has_gradient;         /* that of the last linearisation is there, and was not used yet */
    double (*gradient)[9];     /* F of the owned elements */
} sn_system;

/* Parameters of the owned elements, mass and pinned of the owned nodes; all are copied. With
 * `single` A can be applied in single precision, too. The tree must stay. After a failure there is
 * nothing to free. */
SN_CHECKED sn_status sn_system_create(sn_octree *tree, sn_law_kind law,
                                      const sn_law_parameters *parameters, const double *mass,
                                      const uint8_t *pinned, bool single, sn_system *system);
void sn_system_free(sn_system *system);

/* Rayleigh damping: each element's stiffness is weighted by 1 + rate times its damping, which must
 * always be the same. Counts from the next linearisation on. */
void sn_system_set_damping(sn_system *system, const double *damping, double rate);

/* out = D u: the elements' plain stiffness, each times its damping. Only after set_damping. */
void sn_system_apply_damping(sn_system *system, double *u, double *out);

/* Replaces the springs of a slot; any rank may give any spring. They count from the next
 * linearisation on, which must come before the next product. After a failure the slot is empty. */
SN_CHECKED sn_status sn_system_set_springs(sn_system *system, int slot, const sn_spring *springs,
                                           size_t n);

/* Of all springs: are there any? Their energy at x, and f += -dE/dx. */
bool sn_system_has_springs(const sn_system *system);
double sn_system_spring_energy(sn_system *system, const double *x);
void sn_system_spring_force_add(sn_system *system, const double *x, double *f);

/* Linearises about the positions x: elements and springs. The second is for springs alone. */
sn_deformation_summary sn_system_linearise(sn_system *system, double *x, double stiffness,
                                           double inertia);

void sn_system_linearise_springs(sn_system *system, const double *x);

/* The same from given gradients of the owned elements (there is room for ghosts behind them), for a
 * level that has no positions: its springs, `added`, and factors are set already. */
void sn_system_linearise_about(sn_system *system, double (*gradient)[9]);

/* From now on linearisations leave the elements' deformation gradients, in an array with room for
 * so many, for who makes coarser levels of them; who has used them drops them. */
void sn_system_keep_gradient(sn_system *system, sn_local room);
void sn_system_drop_gradient(sn_system *system);

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
