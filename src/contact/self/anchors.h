/* What friction between flesh and flesh pulls towards: anchors, places of the target's flesh.
 *
 *       o            A contact that begins in a step has its anchor where the point and the plane
 *        \           of the target's triangle met, if both have moved straight: what has slid
 *     ----a--t---    since then has rubbed. For a point that was inside before, that is where it
 *          \ .       was when the step began. Beside the triangle the plane goes on, now and at
 *           o        rest.
 *
 * Later the anchor is dragged along (contact/friction/friction.h). */
#ifndef SN_CONTACT_SELF_ANCHORS_H
#define SN_CONTACT_SELF_ANCHORS_H

#include "contact/self/record.h"
#include "octree/locate.h"

/* Not collective. The anchor of a contact that begins in the step from one shape to another. */
void sn_self_touch_first(const sn_self_surface *surface, const sn_mesh *before, const sn_mesh *now,
                         sn_self_record *record);

/* Collective. Anchors as seen from their targets, both where their elements are when the nodes are
 * at x, ghosts filled. Records stand `stride` bytes apart. */
SN_CHECKED sn_status sn_self_see_anchors(const sn_locator *locator, const sn_parts *parts,
                                         const double *x, const sn_self_record *records,
                                         size_t stride, size_t n, double (*anchor)[3]);

#endif
