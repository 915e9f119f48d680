#include "model/motion.h"

#include "base/vec3.h"

static const double PI = 3.14159265358979323846;

/* Sine of the angle between two axes that count as one. */
static const double SAME_AXIS = 1e-9;

/* Quaternions nearer than this (one minus their dot product) are joined by a straight line, as
 * good as the arc to rounding and safe from dividing by a vanishing sine. */
static const double SAME_TURN = 1e-14;

typedef struct {
    double w;
    sn_vec v;
} quaternion;

/* Turned about a point, then shifted. */
typedef struct {
    quaternion turn;
    sn_vec about, shift;
} rigid;

/* axis is of unit length */
static quaternion turn_by(sn_vec axis, double degrees)
{
    double half = remainder(degrees, 360) * (PI / 360); /* whole turns leave nothing behind */
    return (quaternion){cos(half), sn_vec_scale(axis, sin(half))};
}

static quaternion combine(quaternion a, double s, quaternion b, double t)
{
    return (quaternion){s * a.w + t * b.w, sn_vec_add(sn_vec_scale(a.v, s), sn_vec_scale(b.v, t))};
}

static quaternion unit(quaternion q)
{
    return combine(q, 1 / sqrt(q.w * q.w + sn_vec_dot(q.v, q.v)), q, 0);
}

/* The shortest way from a to b. */
static quaternion slerp(quaternion a, quaternion b, double t)
{
    double dot = a.w * b.w + sn_vec_dot(a.v, b.v);
    double sign = dot < 0 ? -1 : 1; /* q and -q are the same turn */
    if (1 - fabs(dot) < SAME_TURN)
        return unit(combine(a, 1 - t, b, sign * t));
    double angle = acos(fabs(dot));
    return unit(combine(a, sin((1 - t) * angle), b, sign * sin(t * angle)));
}

static sn_affine rigid_matrix(const rigid *pose)
{
    double w = pose->turn.w, x = pose->turn.v.x, y = pose->turn.v.y, z = pose->turn.v.z;
    sn_affine m = {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                    {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                    {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
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
    sn_affine m;
    if (is_affine(key)) {
        for (int i = 0; i < 12; i++)
            m.row[i / 4][i % 4] = key->affine[i];
        return m;
    }
    rigid pose = {.turn = {.w = 1}, .shift = sn_vec_load(key->translate)};
    if (turns(key)) {
        pose.turn = turn_by(axis_of(key), key->rotate.degrees);
        pose.about = sn_vec_load(key->rotate.about);
    }
    return rigid_matrix(&pose);
}

/* At least one of the keys turns. */
static quaternion turn_between(const sn_motion_key *a, const sn_motion_key *b, double t)
{
    double from = turns(a) ? a->rotate.degrees : 0, to = turns(b) ? b->rotate.degrees : 0;
    sn_vec first = axis_of(turns(a) ? a : b), second = axis_of(turns(b) ? b : a);
    if (sn_vec_length(sn_vec_cross(first, second)) > SAME_AXIS)
        return slerp(turn_by(first, from), turn_by(second, to), t);
    if (sn_vec_dot(first, second) < 0) { /* the same axis, seen from its other end */
        second = sn_vec_scale(second, -1);
        to = -to;
    }
    return turn_by(sn_vec_unit(sn_vec_between(first, second, t)), from + t * (to - from));
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
        return (sn_affine){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
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
    return is_affine(a) || is_affine(b) ? matrix_between(a, b, t) : rigid_between(a, b, t);
}

void sn_affine_apply(const sn_affine *map, const double point[3], double image[3])
{
    double p[3] = {point[0], point[1], point[2]}; /* the image may be the point */
    for (int i = 0; i < 3; i++)
        image[i] =
            map->row[i][0] * p[0] + map->row[i][1] * p[1] + map->row[i][2] * p[2] + map->row[i][3];
}

sn_status sn_motion_require(const sn_scene *scene, const char *key_path, const sn_motion *motion)
{
    static const char *const name[] = {
        [SN_MOTION_NONE] = "",           [SN_MOTION_KEYS] = "keys",
        [SN_MOTION_BVH] = "bvh",         [SN_MOTION_GLTF] = "gltf",
        [SN_MOTION_CSV] = "csv",         [SN_MOTION_SEQUENCE] = "sequence",
        [SN_MOTION_BUILTIN] = "builtin",
    };
    if (motion->kind == SN_MOTION_NONE || motion->kind == SN_MOTION_KEYS)
        return SN_OK;
    return sn_scene_fail(scene, sn_key_path("%.200s.%s", key_path, name[motion->kind]).text,
                         "this kind of motion comes with bones and does not work yet, expected "
                         "\"keys\"");
}
