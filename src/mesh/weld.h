/* Which vertices are the same point.
 *
 * Some formats have no shared vertices (STL), others split them at seams of texture or
 * normal (glTF). Only exactly equal coordinates are joined: nothing moves, and no tolerance
 * has to be chosen. */
#ifndef SN_MESH_WELD_H
#define SN_MESH_WELD_H

#include <stdint.h>

/* Numbers the distinct points from 0 in the order of their first appearance: point[v] is the
 * number of vertex v's point. Returns how many there are. Coordinates must not be NaN. */
int64_t sn_weld(const double (*vertex)[3], int64_t n_vertices, int32_t *point);

#endif
