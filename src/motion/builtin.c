#include "motion/builtin.h"

#include "io/text/name_list.h"
#include "shapes/creature_bones.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SECONDS 1e6

static const struct {
    const char *name, *about;
} MOTIONS[] = {{"creature_walk", "the creature's bones walk in place"},
               {"creature_walk_forward", "along +x, its feet standing still on the ground"}};

/* In seconds, up to MOST_SECONDS. */
static const struct {
    const char *name, *about;
    double standard, least;
    size_t to;
} PARAMETERS[] = {
    {"period", "seconds of a cycle of four steps", 1, 1e-3, offsetof(sn_builtin_motion, period)},
    {"start", "seconds from standing still to walking", 0.5, 0,
     offsetof(sn_builtin_motion, start)}};

enum { N_MOTIONS = 2, N_PARAMETERS = 2 };

static double *parameter_of(sn_builtin_motion *motion, int p)
{
    return (double *)(void *)((char *)motion + PARAMETERS[p].to);
}

/* One "name=number". */
static sn_status parse_parameter(const char *text, const char *setting, size_t length,
                                 sn_builtin_motion *motion)
{
    for (int p = 0; p < N_PARAMETERS; p++) {
        size_t before = strlen(PARAMETERS[p].name) + 1; /* with the = */
        if (length < before || setting[before - 1] != '=' ||
            strncmp(setting, PARAMETERS[p].name, before - 1) != 0)
            continue;
        char *end;
        double value = strtod(setting + before, &end);
        if (end != setting + length || length == before || !(value >= PARAMETERS[p].least) ||
            value > MOST_SECONDS)
            return SN_FAIL(SN_BAD_INPUT,
                           "\"%.80s\": expected a number from %g to %g after %s=", text,
                           PARAMETERS[p].least, MOST_SECONDS, PARAMETERS[p].name);
        *parameter_of(motion, p) = value;
        return SN_OK;
    }
    return SN_FAIL(SN_BAD_INPUT,
                   "\"%.80s\": there is no parameter \"%.*s\"; there are: period, start", text,
                   (int)(length < 40 ? length : 40), setting);
}

static sn_status parse_name(const char *text, sn_builtin_motion *motion)
{
    size_t length = strcspn(text, ",");
    int found = -1;
    for (int i = 0; i < N_MOTIONS; i++)
        if (strlen(MOTIONS[i].name) == length && strncmp(text, MOTIONS[i].name, length) == 0)
            found = i;
    if (found < 0)
        return SN_FAIL(SN_BAD_INPUT, "there is no built-in motion \"%.80s\"; there are: %s, %s",
                       text, MOTIONS[0].name, MOTIONS[1].name);
    motion->forward = found == 1;
    for (const char *at = text + length; *at; at += length) {
        at++; /* the comma */
        length = strcspn(at, ",");
        SN_TRY(parse_parameter(text, at, length, motion));
    }
    return SN_OK;
}

sn_status sn_builtin_motion_parse(const char *text, const char *bone, double size,
                                  sn_builtin_motion *motion, bool *wrong_joint)
{
    *motion = (sn_builtin_motion){.size = size};
    for (int p = 0; p < N_PARAMETERS; p++)
        *parameter_of(motion, p) = PARAMETERS[p].standard;
    *wrong_joint = false;
    SN_TRY(parse_name(text, motion));
    motion->bone = sn_creature_bone_find(bone);
    if (motion->bone >= 0)
        return SN_OK;
    *wrong_joint = true;
    sn_name_list known = {{0}};
    for (int b = 0; b < sn_creature_bone_count(); b++)
        sn_name_list_add(&known, sn_creature_bone_name(b));
    return SN_FAIL(SN_BAD_INPUT, "the creature has no bone \"%.80s\"; it has: %s", bone,
                   known.text);
}

void sn_builtin_motion_describe(FILE *out)
{
    fprintf(out, "Built-in motions, as builtin: NAME or builtin: \"NAME,parameter=number,...\"\n");
    for (int m = 0; m < N_MOTIONS; m++)
        fprintf(out, "  %-22s %s\n", MOTIONS[m].name, MOTIONS[m].about);
    for (int p = 0; p < N_PARAMETERS; p++)
        fprintf(out, "      %-8s %s (%g; %g to %g)\n", PARAMETERS[p].name, PARAMETERS[p].about,
                PARAMETERS[p].standard, PARAMETERS[p].least, MOST_SECONDS);
}

static sn_affine walking(const sn_builtin_motion *motion, int bone, double cycle)
{
    double pose[12];
    sn_creature_walk(bone, cycle, motion->size, pose);
    return sn_affine_of(pose);
}

/* A part of the way from standing (0) to walking (1): each bone turns that part of its turn
 * against its parent, about the joint, which goes with the parent. */
static sn_affine between(const sn_builtin_motion *motion, int bone, double cycle, double part)
{
    int parent = sn_creature_bone_parent(bone);
    sn_affine walk = walking(motion, bone, cycle);
    sn_quaternion turn = sn_affine_turn(&walk), before = {.w = 1};
    double joint[3], moved[3], turned[3];
    sn_vec_store(sn_creature_bone_joint(bone, motion->size), joint);
    sn_affine_apply(&walk, joint, moved);
    for (int d = 0; d < 3; d++)
        moved[d] = joint[d] + part * (moved[d] - joint[d]);
    if (parent >= 0) {
        sn_affine parent_walk = walking(motion, parent, cycle);
        sn_affine parent_pose = between(motion, parent, cycle, part);
        sn_quaternion back = sn_affine_turn(&parent_walk);
        back.v = sn_vec_scale(back.v, -1);
        turn = sn_quaternion_after(back, turn);
        before = sn_affine_turn(&parent_pose);
        sn_affine_apply(&parent_pose, joint, moved);
    }
    turn = sn_quaternion_slerp((sn_quaternion){.w = 1}, turn, part);
    sn_affine pose = sn_affine_rigid(sn_quaternion_after(before, turn), (sn_vec){0});
    sn_affine_apply(&pose, joint, turned);
    for (int d = 0; d < 3; d++)
        pose.row[d][3] = moved[d] - turned[d];
    return pose;
}

sn_affine sn_builtin_motion_at(const sn_builtin_motion *motion, double seconds)
{
    double time = fmax(seconds, 0), cycle = time / motion->period;
    double t = motion->start > 0 ? fmin(time / motion->start, 1) : 1;
    double part = t * t * (3 - 2 * t); /* begins and ends gently */
    sn_affine pose = part < 1 ? between(motion, motion->bone, cycle, part)
                              : walking(motion, motion->bone, cycle);
    if (motion->forward) {
        /* the part's integral: half the start is lost by gaining speed */
        double travelled = time >= motion->start ? time - motion->start / 2
                                                 : motion->start * t * t * t * (1 - t / 2);
        pose.row[0][3] += sn_creature_stride(motion->size) * travelled / motion->period;
    }
    return pose;
}
