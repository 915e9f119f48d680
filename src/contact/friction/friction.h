/* Stick and slip of one contact, with a collider or with other flesh.
 *
 * A contact that pushes has an anchor: the place of the other surface that the point would like to
 * stay at. The tangential spring pulls towards it. As long as its force is below the coefficient
 * of friction times the normal force the anchor does not move on that surface (the contact
 * sticks); above, it is dragged along just so far that the force equals that limit (it slips).
 *
 * Knows this rule, for anchors in either kind of frame: that of a collider, where lengths are those
 * of space, and flesh at rest, which may be stretched by now. */
#ifndef SN_CONTACT_FRICTION_FRICTION_H
#define SN_CONTACT_FRICTION_FRICTION_H

#include "base/vec3.h"

/* Both stiffnesses may be for any area, as long as it is the same. */
typedef struct {
    double stiffness, tangential_stiffness, friction;
} sn_friction_law;

/* The part of a at right angles to the normal. */
sn_vec sn_friction_tangential(sn_vec a, sn_vec normal);

/* What the spring of a contact at `at` pulls towards: its normal part is that of `at`, the
 * rest that of the anchor. */
sn_vec sn_friction_target(sn_vec at, sn_vec normal, sn_vec anchor);

/* The anchor after the point has come to rest at x, on the inner side of the plane through `at`:
 * in that plane, and dragged if it must be. All vectors are in the frame of the collider. */
sn_vec sn_friction_drag(const sn_friction_law *law, sn_vec x, sn_vec at, sn_vec normal,
                        sn_vec anchor);

/* The same for places of flesh at rest: the point has come to rest `depth` deep, `at` is its target
 * and the anchor, dragged towards it if it must be, was `slid` aside of the point in space. Without
 * friction it is at the target. */
sn_vec sn_friction_drag_at_rest(const sn_friction_law *law, double depth, double slid, sn_vec at,
                                sn_vec anchor);

#endif
