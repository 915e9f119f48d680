#include "base/screw.h"

#include <math.h>

/* How far from rigid a map may be that is taken as one. */
static const double RIGID = 1e-6;

static sn_vec column(const sn_affine *map, int j)
{
    return (sn_vec){map->row[0][j], map->row[1][j], map->row[2][j]};
}

static sn_affine entries_between(const sn_affine *a, const sn_affine *b, double part)
{
    sn_affine map = *a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            map.row[i][j] += part * (b->row[i][j] - a->row[i][j]);
    return map;
}

/* By so many radians about an axis of unit length. */
static sn_quaternion turn_by(sn_vec axis, double angle)
{
    return (sn_quaternion){cos(angle / 2), sn_vec_scale(axis, sin(angle / 2))};
}

/* The origin goes along an arc about the axis: the chord of a part of the arc is shorter and points
 * elsewhere. No centre is worked out, which would be far away where there is hardly a turn. */
static sn_vec shift_along_arc(sn_vec axis, double angle, sn_vec shift, double part)
{
    sn_vec along = sn_vec_scale(axis, sn_vec_dot(axis, shift));
    sn_vec across = sn_vec_sub(shift, along);
    double shorter = sin(part * angle / 2) / sin(angle / 2);
    sn_vec chord =
        sn_quaternion_turn(turn_by(axis, (part - 1) * angle / 2), sn_vec_scale(across, shorter));
    return sn_vec_add(sn_vec_scale(along, part), chord);
}

static sn_affine rigid_part(const sn_affine *map, double part)
{
    sn_quaternion turn = sn_affine_turn(map);
    if (turn.w < 0)
        turn = (sn_quaternion){-turn.w, sn_vec_scale(turn.v, -1)};
    double sine = sn_vec_length(turn.v), angle = 2 * atan2(sine, turn.w);
    sn_vec shift = column(map, 3);
    if (!(sine > 0))
        return sn_affine_rigid((sn_quaternion){.w = 1}, sn_vec_scale(shift, part));
    sn_vec axis = sn_vec_scale(turn.v, 1 / sine);
    return sn_affine_rigid(turn_by(axis, part * angle), shift_along_arc(axis, angle, shift, part));
}

sn_affine sn_affine_screw(const sn_affine *map, double part)
{
    if (part == 0)
        return SN_IDENTITY;
    if (part == 1)
        return *map;
    if (!(sn_affine_not_rigid(map) <= RIGID))
        return entries_between(&SN_IDENTITY, map, part);
    return rigid_part(map, part);
}

sn_affine sn_affine_mirrored(const sn_affine *pose, const sn_affine *about)
{
    sn_affine back;
    if (!sn_affine_invert(pose, &back))
        return *about;
    back = sn_affine_after(&back, about);
    return sn_affine_after(about, &back);
}

/* A turn of what is stretched along its own axes; false if the map is none. */
static bool take_apart(const sn_affine *map, sn_affine *turn, double stretch[3])
{
    *turn = *map;
    for (int j = 0; j < 3; j++) {
        stretch[j] = sn_vec_length(column(map, j));
        for (int i = 0; i < 3; i++)
            turn->row[i][j] /= stretch[j];
    }
    return sn_affine_not_rigid(turn) <= RIGID;
}

sn_affine sn_affine_between(const sn_affine *a, const sn_affine *b, double part)
{
    sn_affine from, to;
    double stretch_a[3], stretch_b[3];
    if (part == 0 || part == 1)
        return part == 0 ? *a : *b;
    if (!take_apart(a, &from, stretch_a) || !take_apart(b, &to, stretch_b))
        return entries_between(a, b, part);
    sn_quaternion turn = sn_quaternion_slerp(sn_affine_turn(&from), sn_affine_turn(&to), part);
    sn_affine map = sn_affine_rigid(turn, sn_vec_between(column(a, 3), column(b, 3), part));
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            map.row[i][j] *= stretch_a[j] + part * (stretch_b[j] - stretch_a[j]);
    return map;
}
