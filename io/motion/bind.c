#include "io/motion/bind.h"

#include <string.h>

bool sn_joint_is_moved(const sn_joint *joint)
{
    for (int k = 0; k < SN_N_TRACKS; k++)
        if (joint->track[k].n > 0)
            return true;
    return false;
}

static bool any_moves(const sn_skeleton *s)
{
    for (size_t j = 0; j < s->joints.count; j++)
        if (sn_joint_is_moved(&s->joints.data[j]))
            return true;
    return false;
}

/* An animation may move other things of the file beside, but must move some joint, or what it
 * hangs on. */
static sn_status check_animation(const char *path, const sn_binding *b, const sn_skeleton *s)
{
    if (!any_moves(s))
        return SN_OK;
    for (size_t i = 0; i < b->n; i++)
        for (int j = b->joint[i]; j >= 0; j = s->joints.data[j].parent)
            if (sn_joint_is_moved(&s->joints.data[j]))
                return SN_OK;
    return SN_FAIL(SN_BAD_INPUT,
                   "%s: the animation moves none of the skin's joints: it is that of another "
                   "skeleton",
                   path);
}

/* A joint that no key moves stays where its node is, which need not be where it rests. */
static void hold_still(sn_joint *joint)
{
    sn_track *track = &joint->track[SN_TRACK_MATRIX];
    *track = (sn_track){.n = 1, .value = SN_NEW(double, 12)};
    memcpy(track->value, joint->rest.row, 12 * sizeof *track->value);
}

/* `rest`: by joints, in the file; those that are bone have it. */
static sn_status rest_at(const char *path, sn_affine *rest, sn_rig *rig)
{
    sn_skeleton *s = &rig->skeleton;
    bool any = any_moves(s);
    for (size_t j = 0; j < s->joints.count; j++) {
        sn_joint *joint = &s->joints.data[j];
        sn_affine back;
        const sn_affine *parent = joint->parent < 0 ? &SN_IDENTITY : &rest[joint->parent];
        if (!rig->is_bone[j])
            rest[j] = sn_affine_after(parent, &joint->rest);
        if (any && !sn_joint_is_moved(joint))
            hold_still(joint);
        if (!sn_affine_invert(parent, &back))
            return SN_FAIL(SN_BAD_INPUT, "%s: a node above its joints flattens space", path);
        joint->rest = sn_affine_after(&back, &rest[j]);
    }
    return SN_OK;
}

sn_status sn_rig_bind(const char *path, const sn_binding *b, sn_rig *rig)
{
    size_t n = rig->skeleton.joints.count;
    SN_TRY(check_animation(path, b, &rig->skeleton));
    sn_affine *rest = SN_NEW(sn_affine, n);
    rig->is_bone = SN_NEW_ZERO(bool, n);
    for (size_t i = 0; i < b->n; i++) {
        rig->is_bone[b->joint[i]] = true;
        rest[b->joint[i]] = b->rest[i];
    }
    sn_status status = rest_at(path, rest, rig);
    sn_free(rest);
    return status;
}
