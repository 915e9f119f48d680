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

/* A number of each owned element: that of its kind, or, without kinds, its own. */
typedef struct {
    const double *number;
    const sn_local *kind;
} sn_numbers_of_elements;

static inline double sn_number_of_element(const sn_numbers_of_elements *all, sn_local element)
{
    return all->number[all->kind ? all->kind[element] : element];
}

typedef struct {
    sn_octree *tree; /* the caller's */
    sn_operator op;
    double *mass;    /* of the owned nodes */
    uint8_t *pinned; /* of the owned nodes: the mask of field/field.h */

    sn_locator locator; /* made with the first springs */
    sn_spring_set springs[SN_SPRING_SLOTS];
    double *spring_room;              /* which all of them share, */
    size_t spring_reals;              /* of so many */
    int64_t changes[SN_SPRING_SLOTS]; /* of each slot's matrices so far: coarser levels follow */

    bool damped;                    /* on all ranks, also on those without elements: */
    sn_numbers_of_elements damping; /* the caller's */
    double rate;                    /* of velocity for a change of position */

    double stiffness, inertia; /* the factors in A, as the rest from the last linearisation */
    double *held;              /* at each owned node of coarser levels: what finer pins hold */
    double bound;              /* A is at most so many times D: see sn_system_set_bound */
    bool has_diagonal;         /* of some linearisation since the step began */
    bool diagonal_is_old;      /* not of the last one */
    float *inverse_diagonal;   /* of D without the mask; 0 where there is nothing to invert */
    sn_local n_pinned;         /* owned nodes that are pinned, */
    sn_local *pinned_node;     /* which they are, ascending, */
    double *pinned_diagonal;   /* and the trace of D's stiffness there */
    bool is_new;               /* who follows this system has not followed the last linearisation */
    sn_field_pool spare;       /* fields of this level for who solves, and minimises */
} sn_system;

/* Parameters of the owned elements, mass and pinned of the owned nodes; all are copied. Bodies that
 * are `left_out`, if that is given, are pinned, and their elements are not worked on. With `single`
 * A can be applied in single precision, too. The tree must stay. After a failure there is nothing
 * to free. */
SN_CHECKED sn_status sn_system_create(sn_octree *tree, sn_law_kind law,
                                      const sn_law_parameters *parameters, const double *mass,
                                      const uint8_t *pinned, const uint8_t *left_out, bool single,
                                      sn_system *system);
void sn_system_free(sn_system *system);

/* Damping (elastic/damping.h) of the owned elements, which must stay and always be the same, in
 * steps of this rate. A has it from the next linearisation on. */
void sn_system_set_damping(sn_system *system, sn_numbers_of_elements damping, double rate);

/* Where rates of strain are measured from, after that: `now` times the strains at x and `before`
 * times those at x_before. Elastic forces and summaries have the damping's part from the next
 * linearisation on, until the strains are dropped. Both are fields. */
void sn_system_damp_from(sn_system *system, double now, double *x, double before, double *x_before);
void sn_system_drop_strain(sn_system *system);

/* Replaces the springs of a slot; any rank may give any spring. They count from the next
 * linearisation on, which must come before the next product. After a failure the slot is empty. */
SN_CHECKED sn_status sn_system_set_springs(sn_system *system, int slot, const sn_spring *springs,
                                           size_t n);

/* The same of a list, which is freed on the way; after a failure by the caller. */
SN_CHECKED sn_status sn_system_take_springs(sn_system *system, int slot, sn_spring_list *springs);

/* What is only lent, fields and room for springs, is freed for who needs the memory now; until the
 * system goes on, nothing is asked of it but for other springs. Not collective. */
void sn_system_rest(sn_system *system);
void sn_system_go_on(sn_system *system);

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

/* D, of which most linearisations need none, as it takes a third of their time. The first makes it
 * that of the last one, for who approximates the inverse of A. The second makes one if there is
 * none of the step that began when D was forgotten: for who asks how large it is only, and must get
 * the same bits after a restart. */
void sn_system_follow_diagonal(sn_system *system);
void sn_system_need_diagonal(sn_system *system);
void sn_system_forget_diagonal(sn_system *system);

/* The bound that D follows from now on; 1 if nothing is said. */
void sn_system_set_bound(sn_system *system, double bound);

/* Linearises about the shape at rest, with a stiffness of 1 and without inertia. Springs that
 * depend on positions stay as they are. */
void sn_system_linearise_at_rest(sn_system *system);

/* The same for a level that has no positions: from given gradients of the owned elements (there is
 * room for ghosts behind them), and what finer pins hold at each owned node, which is taken over.
 */
void sn_system_linearise_about(sn_system *system, float (*gradient)[9], double *held,
                               double stiffness, double inertia);

/* The elements' deformation gradients at x, for who makes coarser levels of them: in an array with
 * room for so many, which the caller frees. */
float (*sn_system_gradients(sn_system *system, double *x, sn_local room))[9];

/* Elastic energy and shape at x; the linearisation stays as it is. */
sn_deformation_summary sn_system_inspect(sn_system *system, double *x);

/* f = the elastic force at x, and that of damping. */
void sn_system_elastic_force(sn_system *system, double *x, double *f);

/* What is added to the diagonal of A at an owned node. */
static inline double sn_system_added(const sn_system *system, sn_local node)
{
    double inertia = system->inertia * system->mass[node];
    return system->held ? system->held[node] + inertia : inertia;
}

/* An entry of D, once it is there, by its real's number; 0 where there is nothing, or where pinned.
 */
static inline double sn_system_diagonal(const sn_system *system, sn_local real)
{
    float inverse = system->inverse_diagonal[real];
    return system->pinned[real / SN_NODE_REALS] || !(inverse > 0) ? 0 : 1 / (double)inverse;
}

/* The mean of D, which must be there, over the mean mass, at free nodes. */
double sn_system_stiffness_to_mass(const sn_system *system);

/* What an element's stiffness is about multiplied by, for coarser levels. */
static inline double sn_system_element_weight(const sn_system *system, sn_local element)
{
    return system->damped ? 1 + system->rate * sn_number_of_element(&system->damping, element) : 1;
}

/* out = A u; zero where pinned. u must be zero there. */
void sn_system_apply_f64(sn_system *system, double *u, double *out);
void sn_system_apply_f32(sn_system *system, float *u, float *out);

/* r = b - A u; zero where pinned. */
void sn_system_residual_f64(sn_system *system, const double *b, double *u, double *r);
void sn_system_residual_f32(sn_system *system, const float *b, float *u, float *r);

/* A step of a smoother: p = keep p + add D^-1 (b - A x), zero where pinned, and x += p. Without
 * `keep` nothing needs to be in p. `room` is a field. */
void sn_system_step_f64(sn_system *system, const double *b, double keep, double add, double *p,
                        double *x, double *room);
void sn_system_step_f32(sn_system *system, const float *b, float keep, float add, float *p,
                        float *x, float *room);

size_t sn_system_memory(const sn_system *system);

/* Of that, what the finest or a coarser level with so many owned nodes holds in nodal values. */
size_t sn_system_nodal_memory(size_t nodes, bool finest);

#endif
