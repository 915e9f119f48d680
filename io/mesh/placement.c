#include "io/mesh/placement.h"

#include "base/pi.h"
#include "base/vec3.h"

#include <math.h>

/* Rodrigues' formula, about a unit axis through the origin. */
static sn_vec turned(sn_vec at, sn_vec axis, double degrees)
{
    double cosine = cos(degrees * SN_PI / 180), sine = sin(degrees * SN_PI / 180);
    sn_vec along = sn_vec_scale(axis, (1 - cosine) * sn_vec_dot(axis, at));
    sn_vec around = sn_vec_scale(sn_vec_cross(axis, at), sine);
    return sn_vec_add(sn_vec_scale(at, cosine), sn_vec_add(along, around));
}

void sn_placement_apply(const sn_placement *place, double (*vertex)[3], int64_t n)
{
    if (!place->given)
        return;
    const sn_rotation *turn = &place->rotate;
    sn_vec about = sn_vec_load(turn->about), shift = sn_vec_load(place->translate);
    sn_vec axis = turn->given ? sn_vec_unit(sn_vec_load(turn->axis)) : (sn_vec){0, 0, 0};
    for (int64_t v = 0; v < n; v++) {
        sn_vec at = sn_vec_scale(sn_vec_load(vertex[v]), place->scale);
        if (turn->given)
            at = sn_vec_add(about, turned(sn_vec_sub(at, about), axis, turn->degrees));
        sn_vec_store(sn_vec_add(at, shift), vertex[v]);
    }
}
