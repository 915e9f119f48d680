/* How much of the surface around a vertex faces a direction.
 *
 *        \   v   |      Each triangle around v counts with a third of its area at rest, times the
 *         \_____/       cosine between its normal now and the direction it is asked for: all of it
 *            |          if it faces that way, its shadow if it is oblique, and nothing if it looks
 *            V          aside or away. On a flat face that is the vertex's area; at a sharp edge
 * the face's part of it without the side's; on a sphere the projected area.
 *
 * Normals are where the element of the vertex turns them to: nobody has to know where the
 * neighbours are, and the same bits come out on any number of ranks. */
#ifndef SN_SURFACE_FACING_H
#define SN_SURFACE_FACING_H

#include "base/vec3.h"
#include "surface/embed.h"

typedef struct {
    const sn_embedding *embedding; /* the caller's */
    size_t *first;                 /* n + 1: where the triangles of each vertex begin */
    int32_t *triangle;             /* of its body, in their order */
    double *outward; /* of each body: 1, or -1 where the input's normals point inward */
} sn_facing;

/* Not collective, as all below. */
void sn_facing_create(const sn_embedding *embedding, sn_facing *facing);
void sn_facing_free(sn_facing *facing);
size_t sn_facing_memory(const sn_facing *facing);

/* Of this rank's vertex i, when its nodes are at `x` (ghosts filled). The direction has length 1.
 */
double sn_facing_area(const sn_facing *facing, size_t i, const double *x, sn_vec direction);

#endif
