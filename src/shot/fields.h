/* The fields that frames may have beside positions (output.fields), for cells and for vertices of
 * the surface alike.
 *
 *     displacement      displacement from where it is at rest, length
 *     velocity          velocity, length/s
 *     det_f             det_f, the determinant of the deformation gradient
 *     stress            von_mises and pressure of the Kirchhoff stress, mass/(length s^2): Cauchy's
 *                       times det_f, which has no trouble with inverted cells; pressure is
 *                       positive where flesh is squeezed
 *     contact_pressure  contact_pressure, mass/(length s^2), as in contact/pressure.h
 *     material          young, mass/(length s^2), and poisson
 *     owner             owner, the rank that has the cell
 *
 * Vectors belong to points: corners of cells, or vertices. The rest are of a cell at its centre,
 * and a vertex has what its cell has; but contact pressure is known at vertices, and a cell has
 * that of the hardest pressed in it. Everything is in single precision, for looking at. */
#ifndef SN_SHOT_FIELDS_H
#define SN_SHOT_FIELDS_H

#include "io/vtkhdf.h"
#include "octree/leaves.h"
#include "shot/cell_points.h"
#include "shot/shot.h"

enum { SN_MOST_FIELD_ARRAYS = 16 };

/* The arrays of the fields that are wanted, the others are NULL. */
typedef struct {
    int kinds; /* which are: 1 << sn_field_kind for each */
    float (*displacement)[3], (*velocity)[3];
    float *det_f, *von_mises, *pressure, *contact_pressure, *young, *poisson;
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

/* ---- Elements ---- */

/* The values of a field at the corners of an owned element, of which some may hang; ghosts are
 * filled. */
void sn_element_corners(const sn_octree *tree, sn_local element, int child, const double *field,
                        double corner[SN_CORNERS][3]);

/* Sets row `at` of what a cell has, but for contact pressure, to what the owned element has. */
void sn_fields_of_element(const sn_shot *shot, sn_local element, sn_key key, int height,
                          const sn_field_values *values, size_t at);

#endif
