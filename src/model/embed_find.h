/* Which element does a vertex follow? The search behind model/embed.h.
 *
 * A rank starts with an even share of the vertices, computes their cells and hands each to the
 * owner of its cell. There it lies in the last element before it on the curve, or in none. Only
 * where that element is another rank's it is handed on once more; a table with the last element
 * of each interval of the curve tells whose. */
#ifndef SN_MODEL_EMBED_FIND_H
#define SN_MODEL_EMBED_FIND_H

#include "octree/octree.h"
#include "octree/surface.h"

typedef struct {
    uint64_t element; /* owned by this rank */
    int64_t vertex;
} sn_placed_vertex;

/* Collective. The vertices that follow this rank's elements, by element. The
 * caller frees them. `elements` are the owned elements' keys; body_first as in model/embed.h. */
SN_CHECKED sn_status sn_embed_find(const sn_octree *tree, const sn_solid *solids,
                                   const int64_t *body_first, const sn_key *elements,
                                   sn_placed_vertex **placed, size_t *n);

#endif
