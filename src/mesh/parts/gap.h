/* How far apart the parts of a cell are: the smallest distance between their pieces of the surface,
 * within the cell. */
#ifndef SN_MESH_PARTS_GAP_H
#define SN_MESH_PARTS_GAP_H

#include "mesh/parts/cell_parts.h"

typedef struct {
    double distance; /* INFINITY if there is none */
    double place[3]; /* halfway */
} sn_part_gap;

/* `part` of each of the n triangles, as found; those of -1 are left out. */
sn_part_gap sn_cell_parts_gap(const sn_parts_body *body, const int32_t cell[3],
                              const int32_t *triangle, const int32_t *part, int32_t n);

#endif
