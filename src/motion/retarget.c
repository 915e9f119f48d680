#include "motion/retarget.h"

#include "base/pi.h"
#include "io/schema/origin.h"
#include "io/text/name_list.h"
#include "motion/axes.h"

#include <math.h>
#include <string.h>

/* Of a file whose keys have times of their own so many poses a second are taken over. */
enum { POSES_A_SECOND = 60, MOST_POSES = 1 << 20, MOST_TURNS = 1 << 24 };

/* In degrees: a limb that begins farther around itself is taken to have leapt. */
static const double MOST_TWIST = 100;

/* A turn, and the place of a joint, in the axes of the scene. */
typedef struct {
    sn_quaternion turn;
    sn_vec at;
} pose;

typedef struct {
    const sn_retarget *r;
    size_t n;              /* joints here */
    int *other;            /* of each: its counterpart, or -1 */
    int *next;             /* the one that a limb points to, or -1 */
    pose *here, *there;    /* at rest; of counterparts */
    sn_quaternion *posed;  /* from the rest there to that here */
    sn_quaternion *turned; /* from the rest here to the pose of a moment */
    double *twist;         /* of limbs at the last moment, in degrees; NAN before the first */
    double rest;           /* time of the rest there; NAN: its hierarchy */
    int top;               /* the topmost joint with a counterpart */
    double size;           /* of shifts */
    sn_vec origin;         /* where they begin */
} work;

static sn_quaternion reversed(sn_quaternion q)
{
    return (sn_quaternion){q.w, sn_vec_scale(q.v, -1)};
}

/* The shortest turn from one direction to another. */
static sn_quaternion shortest(sn_vec from, sn_vec to)
{
    sn_vec a = sn_vec_unit(from), b = sn_vec_unit(to);
    sn_quaternion q = {1 + sn_vec_dot(a, b), sn_vec_cross(a, b)};
    if (!(q.w > 1e-9))
        return (sn_quaternion){.w = 1};
    return sn_quaternion_unit(q);
}

/* A map's turn without its stretches. */
static sn_quaternion turn_of(const sn_affine *map)
{
    sn_affine rigid = *map;
    for (int j = 0; j < 3; j++) {
        double length = hypot(hypot(map->row[0][j], map->row[1][j]), map->row[2][j]);
        for (int i = 0; i < 3; i++)
            rigid.row[i][j] /= length;
    }
    return sn_affine_turn(&rigid);
}

static pose pose_of(const sn_affine *map)
{
    return (pose){turn_of(map), {map->row[0][3], map->row[1][3], map->row[2][3]}};
}

static pose pose_here(const work *w, size_t joint)
{
    sn_affine rest = sn_skeleton_rest(w->r->here, (int)joint);
    rest = sn_affine_after(w->r->place, &rest);
    return pose_of(&rest);
}

/* At a time; NAN: as its hierarchy stands. */
static pose pose_there(const work *w, int joint, double time)
{
    sn_affine map = isnan(time) ? sn_skeleton_rest(w->r->there, joint)
                                : sn_skeleton_pose(w->r->there, joint, time);
    map = sn_motion_axes_pose(w->r->motion, &map);
    return pose_of(&map);
}

/* ---- Which joint is which ---- */

static sn_status no_joint(const sn_skeleton *s, const char *what, const char *name)
{
    sn_name_list known = {{0}};
    for (size_t j = 0; j < s->joints.count; j++)
        if (!s->joints.data[j].is_end)
            sn_name_list_add(&known, s->joints.data[j].name);
    return SN_FAIL(SN_BAD_INPUT, "%s has no joint \"%.80s\"; it has: %s", what, name, known.text);
}

static sn_status find_named(work *w)
{
    const sn_pairs *names = w->r->names;
    for (size_t i = 0; i < names->count; i++) {
        int here = sn_skeleton_find(w->r->here, names->data[i].key);
        int there = sn_skeleton_find(w->r->there, names->data[i].text);
        if (here < 0)
            return no_joint(w->r->here, "the skeleton", names->data[i].key);
        if (there < 0)
            return no_joint(w->r->there, "the motion's skeleton", names->data[i].text);
        w->other[here] = there;
    }
    return SN_OK;
}

static sn_status find_counterparts(work *w)
{
    bool any = w->r->names->count > 0;
    for (size_t j = 0; j < w->n; j++) {
        const sn_joint *joint = &w->r->here->joints.data[j];
        w->other[j] = joint->is_end ? -1 : sn_skeleton_find(w->r->there, joint->name);
        any = any || w->other[j] >= 0;
    }
    if (!any)
        return SN_FAIL(SN_BAD_INPUT,
                       "its animation is that of another skeleton: no joint is called as one "
                       "here; `retarget` says which is which");
    return find_named(w);
}

/* The nearest joint above that has a counterpart, or -1. */
static int above(const work *w, int joint)
{
    do
        joint = w->r->here->joints.data[joint].parent;
    while (joint >= 0 && w->other[joint] < 0);
    return joint;
}

/* A limb's joint has one below it, and so has that, until the end. */
static void find_limbs(work *w)
{
    int *below = SN_NEW_ZERO(int, w->n);
    bool *branches = SN_NEW_ZERO(bool, w->n);
    for (size_t j = w->n; j-- > 0;) { /* children come after their parents */
        w->next[j] = -1;
        int up = w->other[j] >= 0 ? above(w, (int)j) : -1;
        if (up < 0)
            continue;
        branches[up] = branches[up] || branches[j] || below[up]++ > 0;
    }
    for (size_t j = 0; j < w->n; j++) {
        int up = w->other[j] >= 0 ? above(w, (int)j) : -1;
        if (up >= 0 && !branches[up])
            w->next[up] = (int)j;
    }
    sn_free(below);
    sn_free(branches);
}

/* ---- Rest ---- */

static sn_quaternion put_into_pose(const work *w, size_t j)
{
    int up = above(w, (int)j), next = w->next[j];
    sn_quaternion turn = up < 0 ? (sn_quaternion){.w = 1} : w->posed[up];
    if (next < 0)
        return turn;
    sn_vec here = sn_vec_sub(w->here[next].at, w->here[j].at);
    sn_vec there = sn_vec_sub(w->there[next].at, w->there[j].at);
    if (!(sn_vec_length(here) > 0) || !(sn_vec_length(there) > 0))
        return turn;
    return sn_quaternion_after(shortest(sn_quaternion_turn(turn, there), here), turn);
}

static void find_size(work *w)
{
    double low_here = INFINITY, low_there = INFINITY;
    for (size_t j = 0; j < w->n; j++)
        if (w->other[j] >= 0) {
            low_here = fmin(low_here, w->here[j].at.y);
            low_there = fmin(low_there, w->there[j].at.y);
        }
    double here = w->here[w->top].at.y - low_here, there = w->there[w->top].at.y - low_there;
    w->size = here > 0 && there > 0 ? here / there : 1;
    w->origin = pose_there(w, w->other[w->top], w->r->start).at;
    w->origin.y = w->there[w->top].at.y;
}

static void find_rest(work *w)
{
    w->top = -1;
    for (size_t j = 0; j < w->n; j++) {
        w->here[j] = pose_here(w, j);
        if (w->other[j] < 0)
            continue;
        w->there[j] = pose_there(w, w->other[j], w->rest);
        w->top = w->top < 0 ? (int)j : w->top;
    }
    for (size_t j = 0; j < w->n; j++)
        if (w->other[j] >= 0)
            w->posed[j] = put_into_pose(w, j);
    find_size(w);
}

/* ---- A moment ---- */

/* The angle of a turn about an axis, in degrees, of a turn about nothing else. */
static double angle_about(sn_vec axis, sn_quaternion turn)
{
    double half = atan2(sn_vec_dot(turn.v, axis), turn.w);
    return remainder(2 * half * 180 / SN_PI, 360);
}

/* Without leaps: files have limbs that turn half around from one frame to the next, in the hip, and
 * back in the ankle, which no flesh would survive. */
static double steady_twist(double twist, double before)
{
    if (isnan(before))
        return fabs(twist) > MOST_TWIST ? twist - copysign(180, twist) : twist;
    return twist + 180 * round((before - twist) / 180);
}

/* A limb points where the motion has it. About itself it turns as the motion has it, too, but for
 * leaps of half a turn. */
static sn_quaternion without_leaps(work *w, size_t j, sn_quaternion carried, sn_quaternion turn)
{
    sn_vec limb = sn_vec_unit(sn_vec_sub(w->here[w->next[j]].at, w->here[j].at));
    sn_vec there = sn_quaternion_turn(turn, limb);
    sn_quaternion swung =
        sn_quaternion_after(shortest(sn_quaternion_turn(carried, limb), there), carried);
    double twist = angle_about(there, sn_quaternion_after(turn, reversed(swung)));
    double steady = steady_twist(twist, w->twist[j]);
    w->twist[j] = steady;
    return steady == twist ? turn : sn_quaternion_after(sn_quaternion_by(there, steady), swung);
}

static void turn_joints(work *w, double time)
{
    for (size_t j = 0; j < w->n; j++) {
        int up = w->r->here->joints.data[j].parent;
        w->turned[j] = up < 0 ? (sn_quaternion){.w = 1} : w->turned[up];
        if (w->other[j] < 0)
            continue;
        pose now = pose_there(w, w->other[j], time);
        sn_quaternion moved = sn_quaternion_after(now.turn, reversed(w->there[j].turn));
        sn_quaternion turn = sn_quaternion_after(moved, reversed(w->posed[j]));
        w->turned[j] = w->next[j] < 0 ? turn : without_leaps(w, j, w->turned[j], turn);
    }
}

/* Relative to what the joint hangs on. */
static sn_quaternion local_turn(const work *w, size_t j)
{
    int up = w->r->here->joints.data[j].parent;
    sn_quaternion own = sn_quaternion_after(w->turned[j], w->here[j].turn);
    sn_quaternion parent =
        up < 0 ? turn_of(w->r->place) : sn_quaternion_after(w->turned[up], w->here[up].turn);
    return sn_quaternion_unit(sn_quaternion_after(reversed(parent), own));
}

/* Where the topmost joint goes, relative to what it hangs on, which rests. */
static sn_status local_shift(const work *w, double time, double *row)
{
    pose now = pose_there(w, w->other[w->top], time);
    sn_vec shift = sn_vec_scale(sn_vec_sub(now.at, w->origin), w->size);
    sn_vec at = sn_vec_add(w->here[w->top].at, shift);
    int up = w->r->here->joints.data[w->top].parent;
    sn_affine parent = up < 0 ? SN_IDENTITY : sn_skeleton_rest(w->r->here, up), back;
    parent = sn_affine_after(w->r->place, &parent);
    if (!sn_affine_invert(&parent, &back))
        return SN_FAIL(SN_BAD_INPUT, "the skeleton's topmost joint hangs on what is flat");
    sn_vec_store(at, row);
    sn_affine_apply(&back, row, row);
    return SN_OK;
}

/* ---- Tracks ---- */

static size_t count_poses(const sn_skeleton *there)
{
    double n = there->in_seconds ? ceil(there->last * POSES_A_SECOND) : there->last;
    return (size_t)fmin(fmax(n, 0), MOST_POSES) + 1;
}

static double time_of(const sn_skeleton *there, size_t i)
{
    return there->in_seconds ? (double)i / POSES_A_SECOND : (double)i;
}

static void add_track(const sn_skeleton *there, sn_track_kind kind, size_t n, sn_joint *joint)
{
    sn_track *track = &joint->track[kind];
    *track = (sn_track){.n = n, .value = SN_NEW(double, n *sn_track_width(kind))};
    if (!there->in_seconds || n == 1)
        return;
    track->time = SN_NEW(double, n);
    for (size_t i = 0; i < n; i++)
        track->time[i] = time_of(there, i);
}

/* What stays: shifts, and how the joint stretches what hangs on it. */
static void hold_the_rest(const sn_skeleton *there, sn_joint *joint)
{
    add_track(there, SN_TRACK_SHIFT, 1, joint);
    add_track(there, SN_TRACK_STRETCH, 1, joint);
    for (int d = 0; d < 3; d++) {
        const sn_affine *rest = &joint->rest;
        joint->track[SN_TRACK_SHIFT].value[d] = rest->row[d][3];
        joint->track[SN_TRACK_STRETCH].value[d] =
            hypot(hypot(rest->row[0][d], rest->row[1][d]), rest->row[2][d]);
    }
}

static void make_joints(const work *w, size_t poses, sn_skeleton *result)
{
    const sn_skeleton *there = w->r->there;
    *result =
        (sn_skeleton){.in_seconds = there->in_seconds, .fps = there->fps, .last = there->last};
    for (size_t j = 0; j < w->n; j++) {
        const sn_joint *from = &w->r->here->joints.data[j];
        sn_joint joint = {.name = sn_copy_text(from->name),
                          .parent = from->parent,
                          .is_end = from->is_end,
                          .rest = from->rest};
        hold_the_rest(there, &joint);
        add_track(there, SN_TRACK_TURN, poses, &joint);
        if ((int)j == w->top) {
            sn_free(joint.track[SN_TRACK_SHIFT].value);
            add_track(there, SN_TRACK_SHIFT, poses, &joint);
        }
        sn_push(&result->joints, joint);
    }
}

static sn_status fill_tracks(work *w, size_t poses, sn_skeleton *result)
{
    for (size_t i = 0; i < poses; i++) {
        double time = time_of(w->r->there, i);
        turn_joints(w, time);
        for (size_t j = 0; j < w->n; j++) {
            double *row = result->joints.data[j].track[SN_TRACK_TURN].value + 4 * i;
            sn_quaternion turn = local_turn(w, j);
            row[0] = turn.w;
            sn_vec_store(turn.v, row + 1);
        }
        double *row = result->joints.data[w->top].track[SN_TRACK_SHIFT].value + 3 * i;
        SN_TRY(local_shift(w, time, row));
    }
    return SN_OK;
}

static sn_status find_rest_time(work *w)
{
    double frame = w->r->motion->rest_frame, last = w->r->there->last / w->r->a_frame + 1;
    w->rest = NAN;
    if (isnan(frame) || frame == 0)
        return SN_OK;
    if (frame < 1 || frame > last * (1 + 1e-6))
        return SN_FAIL(SN_BAD_INPUT,
                       "expected a rest_frame of the file, 1 to %g, or 0 for its hierarchy, got %g",
                       last, frame);
    w->rest = (frame - 1) * w->r->a_frame;
    return SN_OK;
}

static sn_status retarget(work *w, sn_skeleton *result)
{
    SN_TRY(find_rest_time(w));
    SN_TRY(find_counterparts(w));
    find_limbs(w);
    find_rest(w);
    size_t poses = count_poses(w->r->there);
    if (poses * w->n > MOST_TURNS)
        return SN_FAIL(SN_BAD_INPUT, "has %zu poses of %zu joints, more than %d turns together",
                       poses, w->n, MOST_TURNS);
    make_joints(w, poses, result);
    return fill_tracks(w, poses, result);
}

sn_status sn_skeleton_retarget(const sn_retarget *r, sn_skeleton *result)
{
    size_t n = r->here->joints.count;
    work w = {.r = r,
              .n = n,
              .other = SN_NEW(int, n),
              .next = SN_NEW(int, n),
              .here = SN_NEW_ZERO(pose, n),
              .there = SN_NEW_ZERO(pose, n),
              .posed = SN_NEW_ZERO(sn_quaternion, n),
              .turned = SN_NEW_ZERO(sn_quaternion, n),
              .twist = SN_NEW(double, n)};
    for (size_t j = 0; j < n; j++) {
        w.other[j] = -1;
        w.twist[j] = NAN;
    }
    *result = (sn_skeleton){0};
    sn_status status = retarget(&w, result);
    sn_free(w.other);
    sn_free(w.next);
    sn_free(w.here);
    sn_free(w.there);
    sn_free(w.posed);
    sn_free(w.turned);
    sn_free(w.twist);
    if (status != SN_OK)
        sn_skeleton_free(result);
    return status;
}
