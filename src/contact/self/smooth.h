/* Which patches (patches.h) do not cross themselves, nor those beside them: bent only a little.
 *
 * Each patch has the affine map F that fits best what has become of it since it was at rest, and
 * how far the gradient of any of its triangles is from F. Let r be the most that any triangle in
 * two rings around is from it. Over the disc that the patch's sheet covers, two places p and q at
 * rest are joined by the way above the straight line between them, no longer than `tilt` times that
 * line. So now they are
 *
 *     at least  |F (p - q)| - r tilt |p - q|  >=  (least stretch of F - r tilt) |p - q|
 *
 * apart. If that is positive no edge there passes through a triangle. What rounding and the snap of
 * exact.h move is counted. What is found smooth is so wherever the surface was before: nothing is
 * kept from one search to the next. */
#ifndef SN_CONTACT_SELF_SMOOTH_H
#define SN_CONTACT_SELF_SMOOTH_H

#include "contact/self/box_tree.h"
#include "contact/self/exact.h"
#include "contact/self/surface.h"

/* Not collective. Fills the boxes around all patches, larger than they are after the snap, and
 * tells of each whether it is smooth. The caller frees what is returned. */
bool *sn_self_smooth_patches(const sn_self_surface *surface, const sn_mesh *shape,
                             const sn_exact_grid *grid, sn_box_tree *boxes);

/* Is it known that two patches, or one and the same, do not cross? If one sheet around a smooth
 * patch holds both. */
bool sn_self_are_smooth(const sn_self_patches *patches, const bool *smooth, uint32_t a, uint32_t b);

#endif
