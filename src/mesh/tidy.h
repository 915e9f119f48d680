/* Makes a mesh fit for winding numbers.
 *
 * A triangle that stands in the file twice, with the same orientation, would be wound around
 * twice: around a cavity whose faces are doubled the winding number is -1, as if it were solid.
 * So duplicates are dropped. Twins of opposite orientation stay: together they weigh nothing. */
#ifndef SN_MESH_TIDY_H
#define SN_MESH_TIDY_H

#include "mesh/check.h"

/* Drops the duplicates; the rest keeps its order and its face numbers. The report tells of the
 * mesh that is left, and of the duplicates that there were. */
sn_mesh_report sn_mesh_tidy(sn_mesh *mesh);

#endif
