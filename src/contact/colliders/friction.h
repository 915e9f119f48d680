/* Stick and slip of one contact.
 *
 * A contact that pushes has an anchor: the place of the collider's surface that the point would
 * like to stay at. The tangential spring pulls towards it. As long as its force is below the
 * coefficient of friction times the normal force the anchor does not move on the collider (the
 * contact sticks); above, it is dragged along just so far that the force equals that limit (it
 * slips). All vectors are in the frame of the collider. */
#ifndef SN_CONTACT_COLLIDERS_FRICTION_H
#define SN_CONTACT_COLLIDERS_FRICTION_H

#include "base/vec3.h"

typedef struct {
    double stiffness, tangential_stiffness, friction;
} sn_friction_law;

/* What the spring of a contact at `at` pulls towards: its normal part is that of `at`, the
 * rest that of the anchor. */
sn_vec sn_friction_target(sn_vec at, sn_vec normal, sn_vec anchor);

/* The anchor after the point has come to rest at x, on the inner side of the plane through `at`:
 * in that plane, and dragged if it must be. */
sn_vec sn_friction_drag(const sn_friction_law *law, sn_vec x, sn_vec at, sn_vec normal,
                        sn_vec anchor);

#endif
