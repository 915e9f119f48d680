#include "contact/friction/friction.h"

sn_vec sn_friction_tangential(sn_vec a, sn_vec normal)
{
    return sn_vec_sub(a, sn_vec_scale(normal, sn_vec_dot(a, normal)));
}

sn_vec sn_friction_target(sn_vec at, sn_vec normal, sn_vec anchor)
{
    return sn_vec_add(at, sn_friction_tangential(sn_vec_sub(anchor, at), normal));
}

/* An anchor and the place towards which it is dragged, where it would pull no more. */
typedef struct {
    sn_vec anchor, goal;
    sn_vec behind; /* from the goal towards the anchor, */
    double length; /* and what that measures in space */
} lag;

/* The rule: `slid` is how long the tangential spring is. */
static sn_vec drag(const sn_friction_law *law, double depth, double slid, const lag *l)
{
    double limit = law->friction * law->stiffness * depth;
    if (law->tangential_stiffness * slid <= limit)
        return l->anchor;
    double pull = law->tangential_stiffness * l->length;
    double share = pull > 0 && limit > 0 ? limit / pull : 0;
    return sn_vec_add(l->goal, sn_vec_scale(l->behind, share));
}

sn_vec sn_friction_drag(const sn_friction_law *law, sn_vec x, sn_vec at, sn_vec normal,
                        sn_vec anchor)
{
    sn_vec held = sn_friction_target(at, normal, anchor);
    sn_vec above = sn_friction_target(at, normal, x); /* the point, moved out to the plane */
    double depth = -sn_vec_dot(sn_vec_sub(x, at), normal);
    sn_vec behind = sn_vec_sub(held, above);
    lag l = {held, above, sn_vec_unit(behind), 1};
    return drag(law, depth, sn_vec_length(behind), &l);
}

sn_vec sn_friction_drag_at_rest(const sn_friction_law *law, double depth, double slid, sn_vec at,
                                sn_vec anchor)
{
    lag l = {anchor, at, sn_vec_sub(anchor, at), slid};
    return law->friction > 0 ? drag(law, depth, slid, &l) : at;
}
