/* The fields that frames may have beside positions (output.fields), for cells and for vertices of
 * the surface alike.
 *
 *     displacement      displacement from where it is at rest, length
 *     velocity          velocity, length/s
 *     det_f             det_f, the determinant of the deformation gradient
 *     stress            von_mises and pressure of the Kirchhoff stress, mass/(length s^2): Cauchy's
 *                       times det_f, which has no trouble with inverted cells; pressure is
 *                       positive where flesh is squeezed; in a cut cell that of the material
 *     contact_pressure  contact_pressure, mass/(length s^2), as in contact/pressure.h
 *     material          young, mass/(length s^2), and poisson
 *     owner             owner, the rank that has the cell
 *     fraction          fraction, the part of the cell that is inside the mesh and counts
 *
 * Vectors belong to points: corners of cells, or vertices. The rest are of a cell at its centre,
 * and a vertex has what its cell has; but contact pressure is known at vertices, and a cell has
 * that of the hardest pressed in it. Everything is in single precision, for looking at. */
#ifndef SN_SHOT_OUTPUT_FIELDS_H
#define SN_SHOT_OUTPUT_FIELDS_H

#include "io/frames/vtkhdf.h"
#include "octree/leaves.h"
#include "shot/output/settings.h"
#include "shot/shot.h"

enum { SN_MOST_FIELD_ARRAYS = 16 };

/* The arrays of the fields that are wanted, the others are NULL. */
typedef struct {
    int kinds; /* which are: 1 << sn_field_kind for each */
    float (*displacement)[3], (*velocity)[3];
    float *det_f, *von_mises, *pressure, *contact_pressure, *young, *poisson, *fraction;
    int32_t *owner;
} sn_field_values;

/* Room for so many rows of each. */
sn_field_values sn_field_values_new(int kinds, size_t n);
void sn_field_values_free(sn_field_values *values);

/* The same as arrays of a frame; how many there are. */
int sn_field_arrays(const sn_field_values *values, sn_frame_array arrays[SN_MOST_FIELD_ARRAYS]);

static inline bool sn_has_field(int kinds, sn_field_kind kind)
{
    return kinds >> kind & 1;
}

/* Sets row i of what a cell has, but for contact pressure, to what the owned element of[i] has;
 * ghost nodes are filled. */
void sn_fields_of_elements(const sn_shot *shot, const sn_local *of, size_t n,
                           const sn_field_values *values);

#endif
