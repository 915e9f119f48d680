/* The fields of fields.h at the vertices of the surface. */
#ifndef SN_SHOT_OUTPUT_SURFACE_FIELDS_H
#define SN_SHOT_OUTPUT_SURFACE_FIELDS_H

#include "shot/output/fields.h"

/* Not collective. The fields `kinds` at this rank's vertices, which the shot has moved; ghosts are
 * filled. `press` is the contact pressure, if it is wanted. */
sn_field_values sn_surface_fields(const sn_shot *shot, int kinds, const double *press);

#endif
