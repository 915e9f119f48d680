#include "motion/keys.h"

#include "motion/lead_in.h"

/* Sine of the angle between two axes that count as one. */
static const double SAME_AXIS = 1e-9;

/* Turned about a point, then shifted. */
typedef struct {
    sn_quaternion turn;
    sn_vec about, shift;
} rigid;

static sn_affine rigid_matrix(const rigid *pose)
{
    sn_affine m = sn_affine_rigid(pose->turn, (sn_vec){0});
    double about[3], turned[3], shift[3];
    sn_vec_store(pose->about, about);
    sn_vec_store(pose->shift, shift);
    sn_affine_apply(&m, about, turned);
    for (int i = 0; i < 3; i++)
        m.row[i][3] = about[i] - turned[i] + shift[i];
    return m;
}

static bool is_affine(const sn_motion_key *key)
{
    return !isnan(key->affine[0]);
}

static bool turns(const sn_motion_key *key)
{
    return key->rotate.given && key->rotate.degrees != 0;
}

static sn_vec axis_of(const sn_motion_key *key)
{
    return sn_vec_unit(sn_vec_load(key->rotate.axis));
}

static sn_affine pose_on(const sn_motion_key *key)
{
    if (is_affine(key))
        return sn_affine_of(key->affine);
    rigid pose = {.turn = {.w = 1}, .shift = sn_vec_load(key->translate)};
    if (turns(key)) {
        pose.turn = sn_quaternion_by(axis_of(key), key->rotate.degrees);
        pose.about = sn_vec_load(key->rotate.about);
    }
    return rigid_matrix(&pose);
}

/* At least one of the keys turns. */
static sn_quaternion turn_between(const sn_motion_key *a, const sn_motion_key *b, double t)
{
    double from = turns(a) ? a->rotate.degrees : 0, to = turns(b) ? b->rotate.degrees : 0;
    sn_vec first = axis_of(turns(a) ? a : b), second = axis_of(turns(b) ? b : a);
    if (sn_vec_length(sn_vec_cross(first, second)) > SAME_AXIS)
        return sn_quaternion_slerp(sn_quaternion_by(first, from), sn_quaternion_by(second, to), t);
    if (sn_vec_dot(first, second) < 0) { /* the same axis, seen from its other end */
        second = sn_vec_scale(second, -1);
        to = -to;
    }
    return sn_quaternion_by(sn_vec_unit(sn_vec_between(first, second, t)), from + t * (to - from));
}

static sn_affine rigid_between(const sn_motion_key *a, const sn_motion_key *b, double t)
{
    rigid pose = {.turn = {.w = 1}};
    pose.shift = sn_vec_between(sn_vec_load(a->translate), sn_vec_load(b->translate), t);
    if (turns(a) || turns(b)) {
        const double *from = (turns(a) ? a : b)->rotate.about;
        const double *to = (turns(b) ? b : a)->rotate.about;
        pose.about = sn_vec_between(sn_vec_load(from), sn_vec_load(to), t);
        pose.turn = turn_between(a, b, t);
    }
    return rigid_matrix(&pose);
}

static sn_affine matrix_between(const sn_motion_key *a, const sn_motion_key *b, double t)
{
    sn_affine from = pose_on(a), to = pose_on(b);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            from.row[i][j] += t * (to.row[i][j] - from.row[i][j]);
    return from;
}

sn_affine sn_motion_at(const sn_motion *motion, double frame)
{
    if (motion->kind != SN_MOTION_KEYS)
        return SN_IDENTITY;
    const sn_motion_key *key = motion->keys.data;
    size_t next = 0; /* the first key that is not before the frame */
    while (next < motion->keys.count && key[next].frame < frame)
        next++;
    if (next == motion->keys.count)
        return pose_on(&key[next - 1]);
    if (next == 0 || key[next].frame == frame)
        return pose_on(&key[next]);
    const sn_motion_key *a = &key[next - 1], *b = &key[next];
    double t = (frame - a->frame) / (b->frame - a->frame);
    if (motion->ease == SN_EASE_SMOOTH)
        t = sn_eased(t);
    return is_affine(a) || is_affine(b) ? matrix_between(a, b, t) : rigid_between(a, b, t);
}
