/* Regions of self-intersection: which points of the surface lie inside other flesh, and which
 * triangles they may have come in through.
 *
 * How deep a point is (in how many layers of other flesh) changes along an edge only where the
 * edge passes through a triangle: by one inward or outward, as the triangle faces. So the curves
 * of self-intersection bound regions of equal depth. An end of an edge that is deeper than the
 * other one is a seed; seeds are flooded over all edges that pass through nothing. This is exact,
 * local, costs what the regions cost, and needs no rays, radii or winding numbers: parts that are
 * thin or close but do not intersect have no seed. A region is a connected part; its label is the
 * lowest number of a seed in it.
 *
 *      a  . outside                        Region 1, of body a, is bounded by a curve on
 *       \   .                              triangles of region 2, and the other way round: they
 *     ---x---x------ b      x: crossings   are partners. Targets for points of region 1 are the
 *         \1/                              triangles at points of region 2, and the triangles that
 *          .                               region 1's border passes through.
 *
 * The far side of the same finger is in the same region, and another contact elsewhere is no
 * partner: neither can be taken for a target.
 *
 * Where the surface is open, or so crumpled that it crosses itself right at a vertex, curves can
 * end, and a flood leaks around the end. It is noticed: some edge then passes inward within one
 * region. Of such a region only the seeds count, and only triangles that its edges pass through
 * are targets. */
#ifndef SN_CONTACT_SELF_REGIONS_H
#define SN_CONTACT_SELF_REGIONS_H

#include "contact/self/cross.h"

/* `triangle` may be the target of points of region `label`. */
typedef struct {
    int64_t label, triangle;
} sn_self_candidate;

typedef struct {
    size_t n_inside; /* this rank's points that lie inside other flesh */
    size_t n;        /* those, and the points just outside to which edges lead from there */
    size_t *point;   /* which of the surface's, ascending */
    int64_t *label;
    bool *beside; /* outside */

    size_t n_candidates; /* anywhere on the surface; several ranks may have the same */
    sn_self_candidate *candidate;
} sn_self_regions;

/* Collective. */
void sn_self_find_regions(const sn_self_surface *surface, const sn_crossing_list *crossings,
                          sn_self_regions *regions);
void sn_self_regions_free(sn_self_regions *regions);

#endif
