/* The walk: the trunk sways on a tree of joints, and each leg reaches from its hip or shoulder
 * for the place where its foot stands. */
#include "base/pi.h"
#include "shapes/creature_bones.h"
#include "shapes/modelling/rigid.h"

#include <stdbool.h>
#include <string.h>

/* At size 1, in metres and radians. */
static const double STRIDE = 0.44;
static const double STANCE = 0.65; /* part of the cycle that a foot is on the ground */
static const double LIFT = 0.06;   /* of a foot at mid swing */
static const double TOE_DROP = 0.5;
static const double SINK = 0.012, BOB = 0.010; /* of the body: its mean, and around it */
static const double SWAY = 0.018;
static const double HIP_YAW = 0.07, SHOULDER_YAW = 0.06;
static const double HIP_ROLL = 0.04, SHOULDER_ROLL = 0.03;
static const double NOD = 0.06;
static const double TAIL_SWING = 0.35;
static const double STRAIGHTEST = 0.9995; /* of a leg's length: knees never lock */

enum { X, Y, Z };
enum { BONES_OF_LEG = 3 };

/* A walk of four beats: each fore foot falls a quarter after the hind foot of its side. */
typedef struct {
    const char *upper; /* the leg's first bone; the two others follow it */
    double footfall;   /* when in the cycle its foot comes down */
} leg;

static const leg LEGS[] = {
    {"hind_left_upper", 0.0},
    {"fore_left_upper", 0.25},
    {"hind_right_upper", 0.5},
    {"fore_right_upper", 0.75},
};
enum { N_LEGS = sizeof LEGS / sizeof LEGS[0] };

double sn_creature_stride(double size)
{
    return STRIDE * size;
}

/* A wave with its crest at `crest`, so many times a cycle. */
static double wave(double cycle, double crest, int times)
{
    return cos(2 * SN_PI * times * (cycle - crest));
}

static double part_of_cycle(double cycle)
{
    return cycle - floor(cycle);
}

/* 0 at both ends with two derivatives, 1 in the middle. */
static double bump(double t)
{
    double s = 4 * t * (1 - t);
    return s * s * s;
}

/* From -1/2 to 1/2, with the given slope and no curvature at both ends. */
static double swing_curve(double t, double slope)
{
    double s = t - 0.5;
    /* The odd quintic a s + b s^3 + c s^5 that meets the three conditions at s = 1/2. */
    double a = (15 - 7 * slope) / 8, b = 5 * slope - 5, c = 6 - 6 * slope;
    return s * (a + s * s * (b + s * s * c));
}

typedef struct {
    sn_vec offset; /* of the ankle from its place at rest */
    double pitch;  /* of the foot: negative drops the toes */
} foot_place;

/* On the ground the foot goes back evenly, as the ground does under a walker who stays in place;
 * in the air it swings forward and meets the ground at its speed. */
static foot_place place_foot(double footfall, double cycle)
{
    double t = part_of_cycle(cycle - footfall), step = STRIDE * STANCE;
    if (t < STANCE)
        return (foot_place){{step / 2 - STRIDE * t, 0, 0}, 0};
    double swing = (t - STANCE) / (1 - STANCE);
    double slope = -STRIDE * (1 - STANCE) / step; /* of the ground, in steps a swing */
    return (foot_place){{step * swing_curve(swing, slope), LIFT * bump(swing), 0},
                        -TOE_DROP * bump(swing) * (1 - swing)};
}

/* Turns of the hips and the shoulders as the legs carry them: yaw brings the side forward whose
 * foot comes down, roll drops the side whose foot is in the air. */
static double hip_yaw(double cycle)
{
    return -HIP_YAW * wave(cycle, LEGS[0].footfall, 1);
}

static double shoulder_yaw(double cycle)
{
    return -SHOULDER_YAW * wave(cycle, LEGS[1].footfall, 1);
}

static double mid_swing(int leg_index)
{
    return LEGS[leg_index].footfall - (1 - STANCE) / 2;
}

static double hip_roll(double cycle)
{
    return HIP_ROLL * wave(cycle, mid_swing(2), 1);
}

static double shoulder_roll(double cycle)
{
    return SHOULDER_ROLL * wave(cycle, mid_swing(3), 1);
}

static sn_turn yaw_and_roll(double yaw, double roll)
{
    sn_turn about_y = sn_turn_about(Y, yaw), about_x = sn_turn_about(X, roll);
    return sn_turn_after(&about_y, &about_x);
}

/* How a bone of the trunk is turned against its parent. */
static sn_turn trunk_turn(const char *name, double cycle)
{
    double nod = NOD * wave(cycle, LEGS[1].footfall, 2);
    if (strcmp(name, "pelvis") == 0)
        return yaw_and_roll(hip_yaw(cycle), hip_roll(cycle));
    if (strcmp(name, "neck") == 0)
        return sn_turn_about(Z, nod);
    if (strcmp(name, "head") == 0) {
        /* The head looks ahead whatever the shoulders do, and lags behind the neck. */
        sn_turn steady = yaw_and_roll(-shoulder_yaw(cycle), -shoulder_roll(cycle));
        sn_turn lag = sn_turn_about(Z, -nod / 2);
        return sn_turn_after(&steady, &lag);
    }
    if (strcmp(name, "jaw") == 0)
        return sn_turn_about(Z, -NOD / 4 * (1 + wave(cycle, LEGS[0].footfall, 2)));
    if (strcmp(name, "tail") == 0)
        return sn_turn_about(X, TAIL_SWING * wave(cycle, mid_swing(0), 1));
    /* The spine and the chest share the way from the hips to the shoulders. */
    const double share = 1.0 / 3;
    return yaw_and_roll(share * (shoulder_yaw(cycle) - hip_yaw(cycle)),
                        share * (shoulder_roll(cycle) - hip_roll(cycle)));
}

static sn_rigid trunk_motion(int bone, double cycle)
{
    sn_turn turn = trunk_turn(sn_creature_bone_name(bone), cycle);
    sn_vec joint = sn_creature_bone_joint(bone, 1);
    int parent = sn_creature_bone_parent(bone);
    if (parent < 0) { /* over the side that carries, highest when a leg is upright */
        double carrying_side = (mid_swing(0) + mid_swing(1)) / 2;
        sn_vec shift = {0, BOB * wave(cycle, STANCE / 2, 2) - SINK,
                        SWAY * wave(cycle, carrying_side, 1)};
        return sn_rigid_taking(turn, joint, sn_vec_add(joint, shift));
    }
    sn_rigid carried = trunk_motion(parent, cycle);
    return sn_rigid_taking(sn_turn_after(&carried.turn, &turn), joint,
                           sn_rigid_apply(&carried, joint));
}

/* The rotation that takes a bone's direction and the hinge it bends about to new ones; each pair
 * at right angles. */
static sn_turn turn_between(sn_vec from, sn_vec from_hinge, sn_vec to, sn_vec to_hinge)
{
    sn_turn old_frame = {{from, from_hinge, sn_vec_cross(from, from_hinge)}};
    sn_turn new_frame = {{to, to_hinge, sn_vec_cross(to, to_hinge)}};
    sn_turn back = sn_turn_transpose(&new_frame);
    return sn_turn_after(&back, &old_frame);
}

typedef struct {
    sn_vec hip, knee, ankle;
} leg_joints;

static sn_vec hinge_of(const leg_joints *at)
{
    return sn_vec_unit(
        sn_vec_cross(sn_vec_sub(at->knee, at->hip), sn_vec_sub(at->ankle, at->knee)));
}

/* Bends the knee such that the ankle comes to its place; at rest its hinge lies as given. */
static leg_joints reach_for(const leg_joints *rest, sn_vec hip, sn_vec ankle, sn_vec *hinge)
{
    double upper = sn_vec_length(sn_vec_sub(rest->knee, rest->hip));
    double lower = sn_vec_length(sn_vec_sub(rest->ankle, rest->knee));
    sn_vec towards = sn_vec_unit(sn_vec_sub(ankle, hip));
    double length = fmin(sn_vec_length(sn_vec_sub(ankle, hip)), STRAIGHTEST * (upper + lower));
    double along = (length * length + upper * upper - lower * lower) / (2 * length);
    double aside = sqrt(upper * upper - along * along);
    sn_vec old_hinge = hinge_of(rest);
    *hinge =
        sn_vec_unit(sn_vec_sub(old_hinge, sn_vec_scale(towards, sn_vec_dot(towards, old_hinge))));
    sn_vec bend = sn_vec_cross(towards, *hinge);
    sn_vec knee =
        sn_vec_add(hip, sn_vec_add(sn_vec_scale(towards, along), sn_vec_scale(bend, aside)));
    return (leg_joints){hip, knee, sn_vec_add(hip, sn_vec_scale(towards, length))};
}

/* `part` is 0 for the upper bone, 1 for the lower one, 2 for the foot. */
static sn_rigid leg_motion(int upper, int part, double footfall, double cycle)
{
    leg_joints rest = {sn_creature_bone_joint(upper, 1), sn_creature_bone_joint(upper + 1, 1),
                       sn_creature_bone_joint(upper + 2, 1)};
    sn_rigid carrier = trunk_motion(sn_creature_bone_parent(upper), cycle);
    foot_place foot = place_foot(footfall, cycle);
    sn_vec hinge, old_hinge = hinge_of(&rest);
    leg_joints now = reach_for(&rest, sn_rigid_apply(&carrier, rest.hip),
                               sn_vec_add(rest.ankle, foot.offset), &hinge);
    if (part == 2)
        return sn_rigid_taking(sn_turn_about(Z, foot.pitch), rest.ankle, now.ankle);
    sn_vec old_start = part == 0 ? rest.hip : rest.knee, start = part == 0 ? now.hip : now.knee;
    sn_vec old_end = part == 0 ? rest.knee : rest.ankle, end = part == 0 ? now.knee : now.ankle;
    sn_turn turn = turn_between(sn_vec_unit(sn_vec_sub(old_end, old_start)), old_hinge,
                                sn_vec_unit(sn_vec_sub(end, start)), hinge);
    return sn_rigid_taking(turn, old_start, start);
}

static sn_rigid bone_motion(int bone, double cycle)
{
    for (int l = 0; l < N_LEGS; l++) {
        int upper = sn_creature_bone_find(LEGS[l].upper);
        if (bone >= upper && bone < upper + BONES_OF_LEG)
            return leg_motion(upper, bone - upper, LEGS[l].footfall, cycle);
    }
    return trunk_motion(bone, cycle);
}

void sn_creature_walk(int bone, double cycle, double size, double affine[12])
{
    sn_rigid motion = bone_motion(bone, part_of_cycle(cycle));
    double shift[3] = {size * motion.shift.x, size * motion.shift.y, size * motion.shift.z};
    for (int i = 0; i < 3; i++) {
        affine[4 * i] = motion.turn.row[i].x;
        affine[4 * i + 1] = motion.turn.row[i].y;
        affine[4 * i + 2] = motion.turn.row[i].z;
        affine[4 * i + 3] = shift[i];
    }
}
