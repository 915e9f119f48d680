/* One element at a time, in double precision, written as the paper writes it: what the batch
 * kernels are held to. Slow and meant to be read. Here is what all laws share; a law's own
 * reference is beside the law.
 *
 * Corner a of an element lies at its anchor plus the edge times (a & 1, a >> 1 & 1, a >> 2).
 * Values at the eight primary nodes (its corners) are [8][3]; values at its conforming nodes
 * look the same and are turned into each other by the weights W (section 3.2). */
#ifndef SN_ELASTIC_REFERENCE_H
#define SN_ELASTIC_REFERENCE_H

#include <stdint.h>

/* W of section 3.2 for an element that is this child of its parent, and whose corners hang as
 * the bits of `hanging` say: primary = W conforming. */
void sn_reference_weights(int child, uint8_t hanging, double w[8][8]);
void sn_reference_gather(double w[8][8], double conforming[8][3], double primary[8][3]);
/* With W transposed. */
void sn_reference_scatter(double w[8][8], double primary[8][3], double conforming[8][3]);

/* G of 4.1.1: the derivative of corner a's shape function at a point, which is given in halves of
 * the edge from the centre, but for its part in the product of two coordinates: the mean over
 * material whose centroid is there (elastic/batch.inc). */
double sn_reference_shape_gradient(double edge, const double point[3], int axis, int a);

/* F there (equation 2). */
void sn_reference_gradient(double edge, const double point[3], double x[8][3], double f[3][3]);

/* Adds the force of a stress there (equation 3). */
void sn_reference_add_stress(double edge, const double point[3], double stress[3][3],
                             double force[8][3]);

#endif
