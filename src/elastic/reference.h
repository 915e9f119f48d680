/* One element at a time, in double precision, written as the paper writes it: what the batch
 * kernels are held to. Slow and meant to be read; the formulas are in law.h.
 *
 * Corner a of an element lies at its anchor plus the edge times (a & 1, a >> 1 & 1, a >> 2).
 * Values at the eight primary nodes (its corners) are [8][3]; values at its conforming nodes
 * look the same and are turned into each other by the weights W (section 3.2). */
#ifndef SN_ELASTIC_REFERENCE_H
#define SN_ELASTIC_REFERENCE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    double edge, mu, lambda;
} sn_reference_cell;

/* W of section 3.2 for an element that is this child of its parent, and whose corners hang as
 * the bits of `hanging` say: primary = W conforming. */
void sn_reference_weights(int child, uint8_t hanging, double w[8][8]);
void sn_reference_gather(double w[8][8], double conforming[8][3], double primary[8][3]);
/* With W transposed. */
void sn_reference_scatter(double w[8][8], double primary[8][3], double conforming[8][3]);

/* F at the centre (equation 2). */
void sn_reference_gradient(double edge, double x[8][3], double f[3][3]);

double sn_reference_energy(const sn_reference_cell *cell, double x[8][3]);

/* Minus the energy's gradient. */
void sn_reference_force(const sn_reference_cell *cell, double x[8][3], double force[8][3]);

/* What the linearisation about a deformation gradient needs. */
typedef struct {
    double rotation[3][3];
    double l_aux[3][3]; /* algorithm 1, in the undeformed frame */
} sn_reference_state;

/* Algorithm 1, COMPUTELAUX; without `definite` the exact, possibly indefinite differential. */
void sn_reference_linearise(const sn_reference_cell *cell, double f[3][3], bool definite,
                            sn_reference_state *state);

/* The change of the force for a small displacement: minus the stiffness matrix times it. */
void sn_reference_differential(const sn_reference_cell *cell, const sn_reference_state *state,
                               double displacement[8][3], double change[8][3]);

/* The diagonal of the stiffness matrix at the conforming nodes (section 7.4). */
void sn_reference_diagonal(const sn_reference_cell *cell, const sn_reference_state *state,
                           double w[8][8], double diagonal[8][3]);

#endif
