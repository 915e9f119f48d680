#include "contact/colliders/friction.h"

/* The part of a at right angles to the normal. */
static sn_vec tangential(sn_vec a, sn_vec normal)
{
    return sn_vec_sub(a, sn_vec_scale(normal, sn_vec_dot(a, normal)));
}

sn_vec sn_friction_target(sn_vec at, sn_vec normal, sn_vec anchor)
{
    return sn_vec_add(at, tangential(sn_vec_sub(anchor, at), normal));
}

sn_vec sn_friction_drag(const sn_friction_law *law, sn_vec x, sn_vec at, sn_vec normal,
                        sn_vec anchor)
{
    sn_vec held = sn_friction_target(at, normal, anchor);
    sn_vec above = sn_friction_target(at, normal, x); /* the point, moved out to the plane */
    double depth = -sn_vec_dot(sn_vec_sub(x, at), normal);
    double limit = law->friction * law->stiffness * depth;
    sn_vec slid = sn_vec_sub(above, held);
    if (law->tangential_stiffness * sn_vec_length(slid) <= limit)
        return held;
    if (!(law->tangential_stiffness > 0) || !(limit > 0))
        return above;
    double allowed = limit / law->tangential_stiffness;
    return sn_vec_sub(above, sn_vec_scale(sn_vec_unit(slid), allowed));
}
