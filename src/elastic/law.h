/* Constitutive laws as others see them: what a law must know of an element's material, and how
 * that is weighted and coarsened.
 *
 * Only a law knows what its parameters mean. Others carry them from the material to the operator
 * and from level to level. How elements are worked on is between the operator and a law's own
 * file (loops.h). */
#ifndef SN_ELASTIC_LAW_H
#define SN_ELASTIC_LAW_H

#include "elastic/settings.h"

#include <stdbool.h>

enum { SN_LAW_PARAMETERS = 4 }; /* at most, of any law */

/* What a law needs to know of an element's material, which nobody knows to seven digits. */
typedef struct {
    float of[SN_LAW_PARAMETERS];
} sn_law_parameters;

/* From Young's modulus and Poisson's ratio at small strains, and the rule for hourglass modes
 * (settings.h). */
sn_law_parameters sn_law_parameters_of(sn_law_kind law, double young, double poisson,
                                       double hourglass);

/* Whether hourglass modes resist in all directions alike, so that no rotation is needed. */
bool sn_law_is_isotropic(sn_law_kind law, sn_law_parameters parameters);

/* Those of an element whose bending modes resist by this part of a whole cell's: a slim one. */
sn_law_parameters sn_law_slimmed(sn_law_kind law, sn_law_parameters parameters, double part);

/* Those of an element whose stiffness is multiplied by a weight: damping on coarse levels. */
sn_law_parameters sn_law_weighted(sn_law_kind law, sn_law_parameters parameters, double weight);

/* Those of a coarse element (section 7.3) in place of its n children, which may be fewer than
 * eight: where one is missing there is nothing. The sums are along the children as given. */
sn_law_parameters sn_law_coarsened(sn_law_kind law, const sn_law_parameters *child, int n);

/* What an element weighs where the stiffness of several is compared: proportional to it. */
double sn_law_stiffness(sn_law_kind law, sn_law_parameters parameters);

#endif
