/* Rigid motions: a rotation and a translation, x -> turn x + shift.
 *
 * Rotations are only ever made from angles and orthonormal frames and multiplied a few times, so
 * that they stay orthonormal to rounding. */
#ifndef SN_SHAPES_MODELLING_RIGID_H
#define SN_SHAPES_MODELLING_RIGID_H

#include "base/vec3.h"

typedef struct {
    sn_vec row[3];
} sn_turn;

typedef struct {
    sn_turn turn;
    sn_vec shift;
} sn_rigid;

static inline sn_vec sn_turn_apply(const sn_turn *turn, sn_vec at)
{
    return (sn_vec){sn_vec_dot(turn->row[0], at), sn_vec_dot(turn->row[1], at),
                    sn_vec_dot(turn->row[2], at)};
}

static inline sn_vec sn_rigid_apply(const sn_rigid *rigid, sn_vec at)
{
    return sn_vec_add(sn_turn_apply(&rigid->turn, at), rigid->shift);
}

static inline sn_turn sn_turn_transpose(const sn_turn *a)
{
    return (sn_turn){{{a->row[0].x, a->row[1].x, a->row[2].x},
                      {a->row[0].y, a->row[1].y, a->row[2].y},
                      {a->row[0].z, a->row[1].z, a->row[2].z}}};
}

/* First b, then a. */
static inline sn_turn sn_turn_after(const sn_turn *a, const sn_turn *b)
{
    sn_turn columns = sn_turn_transpose(b);
    sn_turn result;
    for (int i = 0; i < 3; i++)
        result.row[i] = sn_turn_apply(&columns, a->row[i]);
    return result;
}

/* By an angle about the x, y or z axis. */
static inline sn_turn sn_turn_about(int axis, double angle)
{
    double c = cos(angle), s = sin(angle);
    if (axis == 0)
        return (sn_turn){{{1, 0, 0}, {0, c, -s}, {0, s, c}}};
    if (axis == 1)
        return (sn_turn){{{c, 0, s}, {0, 1, 0}, {-s, 0, c}}};
    return (sn_turn){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

/* With this rotation, and such that `from` goes to `to`. */
static inline sn_rigid sn_rigid_taking(sn_turn turn, sn_vec from, sn_vec to)
{
    return (sn_rigid){turn, sn_vec_sub(to, sn_turn_apply(&turn, from))};
}

#endif
