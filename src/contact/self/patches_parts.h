/* What the files of patches.h share among themselves: triangles by their place in the surface's
 * list, and which of them meet at an edge. */
#ifndef SN_CONTACT_SELF_PATCHES_PARTS_H
#define SN_CONTACT_SELF_PATCHES_PARTS_H

#include "contact/self/patches.h"
#include "contact/self/surface.h"

/* Of each triangle: its three neighbours over the edges that begin at its corners; -1 where the
 * edge is not between exactly two of this rank's triangles. The caller frees them. */
int32_t (*sn_self_neighbours(const sn_self_surface *surface))[3];

/* Cuts the triangles into patches: `order` are the triangles of one after the other, and `first`
 * is where each patch begins in it. Returns how many there are; the caller frees both. */
size_t sn_self_patches_grow(const sn_self_surface *surface, const int32_t (*neighbour)[3],
                            uint32_t **order, uint32_t **first);

/* Fills the rings. */
void sn_self_patches_link(const sn_self_surface *surface, sn_self_patches *patches);

/* Tells how far the sheets around patches go; `neighbour` is of triangles in the order of patches.
 */
void sn_self_patches_lay_sheets(const sn_self_surface *surface, const int32_t (*neighbour)[3],
                                sn_self_patches *patches);

#endif
