/* Where the surface passes through itself: its curves of self-intersection, edge by edge.
 *
 * Knows which edges of the mesh pass through which triangles, exactly (exact.h). Triangles
 * with a common corner are compared too, but never an edge with a triangle at one of its ends.
 *
 * Hides the search. Patches of the surface (patches.h) are leaves of a tree of boxes (box_tree.h).
 * Most that meet lie beside each other and are bent so little that they cannot cross (smooth.h);
 * the triangles of the others are compared on the spot, first roughly (leaf.h). Each rank cuts its
 * patches into a bounded number of blocks; all ranks know the blocks' boxes. A patch's triangles go
 * to another rank if it meets one of its boxes, for each two ranks only one way. So what a rank
 * holds follows its own triangles and what meets them.
 */
#ifndef SN_CONTACT_SELF_CROSS_H
#define SN_CONTACT_SELF_CROSS_H

#include "base/array.h"
#include "base/status.h"
#include "contact/self/exact.h"
#include "contact/self/surface.h"

/* Edge from `outer` to `inner`, or rather their points, passes through `triangle` into the flesh
 * behind it if `inward` is 1, and out of it if -1. */
typedef struct {
    int64_t inner, outer, triangle;
    int64_t inward;
} sn_crossing;

typedef SN_VECTOR(sn_crossing) sn_crossing_list;

/* Collective. All crossings of edges that end at one of this rank's points, each with that point
 * as `inner` whatever its sign, so that every crossing is found twice altogether; in ascending
 * order, each once. SN_INACCURATE if there are more than any surface that is not crumpled has. */
SN_CHECKED sn_status sn_self_find_crossings(const sn_self_surface *surface, const sn_mesh *shape,
                                            const sn_exact_grid *grid, sn_crossing_list *crossings);

#endif
