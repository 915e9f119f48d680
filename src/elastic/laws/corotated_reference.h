/* The corotational law in plain words: one element at a time, as elastic/reference.h says. Slow and
 * meant to be read; the formulas are in corotated.h. */
#ifndef SN_ELASTIC_LAWS_COROTATED_REFERENCE_H
#define SN_ELASTIC_LAWS_COROTATED_REFERENCE_H

#include <stdbool.h>

typedef struct {
    double edge, mu, lambda;
    double bending, assumed; /* the law's other parameters (corotated.h) */
    double point[3];         /* where F is asked for (elastic/reference.h) */
} sn_corotated_cell;

double sn_corotated_energy(const sn_corotated_cell *cell, double x[8][3]);

/* Minus the energy's gradient. */
void sn_corotated_force(const sn_corotated_cell *cell, double x[8][3], double force[8][3]);

/* Strain in the element's own frame, as damping sees it (elastic/damping.h). */
typedef struct {
    double stretch[3][3];   /* S - I */
    double hourglass[4][3]; /* modes 6, 5, 3 and 7, turned back */
} sn_corotated_strain;

sn_corotated_strain sn_corotated_strain_of(const sn_corotated_cell *cell, double x[8][3]);

/* How much of its damping an element has in a step that begins at x. */
double sn_corotated_damping_share(const sn_corotated_cell *cell, double x[8][3]);

/* What a step's potential has for the change of strain since `before`, for a unit of share times
 * rate times damping. */
double sn_corotated_damping_energy(const sn_corotated_cell *cell, double x[8][3],
                                   const sn_corotated_strain *before);

/* Kirchhoff's stress P F^T at the centre, along its three axes: P is diagonal where F is. */
void sn_corotated_principal_stress(const sn_corotated_cell *cell, double f[3][3], double stress[3]);

/* What the linearisation about a deformation gradient needs. */
typedef struct {
    double rotation[3][3];
    double l_aux[3][3]; /* algorithm 1, in the undeformed frame */
    double assumed;     /* the share of hourglass modes that follows the assumed strain */
} sn_corotated_state;

/* Algorithm 1, COMPUTELAUX; without `definite` the exact, possibly indefinite differential. */
void sn_corotated_linearise(const sn_corotated_cell *cell, double f[3][3], bool definite,
                            sn_corotated_state *state);

/* The change of the force for a small displacement: minus the stiffness matrix times it. Hourglass
 * modes keep the rotation that they have. */
void sn_corotated_differential(const sn_corotated_cell *cell, const sn_corotated_state *state,
                               double displacement[8][3], double change[8][3]);

/* The diagonal of the stiffness matrix at the conforming nodes (section 7.4). */
void sn_corotated_diagonal(const sn_corotated_cell *cell, const sn_corotated_state *state,
                           double w[8][8], double diagonal[8][3]);

#endif
