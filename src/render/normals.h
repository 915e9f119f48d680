/* Normals for smooth shading.
 *
 * Each corner of a triangle has its own: the mean of the triangles around its vertex, as far as
 * they face about the same way. So what is smooth is shaded smoothly right up to a crease, and
 * the crease stays sharp. */
#ifndef SN_RENDER_NORMALS_H
#define SN_RENDER_NORMALS_H

#include "mesh/mesh.h"
#include "render/vector.h"

/* Three normals of length 1 for each of the triangles [first, first + count), which use the
 * vertices that have a number from 0 to `n_used`; the other vertices' numbers are negative.
 * Triangles outside the range count as well. The caller frees it. */
sn_vector3 *sn_corner_normals(const sn_mesh *mesh, int64_t first, int64_t count,
                              const int32_t *number, int64_t n_used);

#endif
