/* Everything that a transfer computes, from values that depend on keys only, and the comparison
 * with what one rank alone computes. */
#ifndef SN_TESTS_TRANSFER_RESULTS_H
#define SN_TESTS_TRANSFER_RESULTS_H

#include "helpers/level_pair.h"

enum { GRADIENT_REALS = 9 };

typedef struct {
    double *prolonged, *restricted, *mass;
    float *gradient;
    sn_law_parameters *parameters;
    float *prolonged_f32, *restricted_f32;
    uint8_t *pins;
    float (*point)[3]; /* of all local coarse elements */
} results;

/* Collective. */
results results_compute(level_pair *pair);
void results_free(results *r);

/* The name of the first result that has other bits than one rank alone, or NULL. */
const char *results_compare(const level_pair *pair, const results *r, const level_pair *alone,
                            const results *all);

/* What fine elements have: stiffness, and a coordinate of the point where they ask for F. */
double results_stiffness(sn_key element);
float results_point(sn_key element, int d);

/* Half a body is pinned, and a few nodes elsewhere. */
bool results_pinned(sn_key node);

#endif
