#include "io/motion/skeleton.h"

#include "base/screw.h"
#include "io/schema/origin.h"

#include <string.h>

size_t sn_track_width(sn_track_kind kind)
{
    static const size_t width[SN_N_TRACKS] = {
        [SN_TRACK_SHIFT] = 3, [SN_TRACK_TURN] = 4, [SN_TRACK_STRETCH] = 3, [SN_TRACK_MATRIX] = 12};
    return width[kind];
}

static size_t rows_a_key(const sn_track *track)
{
    return track->join == SN_JOIN_SPLINE ? 3 : 1;
}

size_t sn_track_numbers(const sn_track *track, sn_track_kind kind)
{
    return track->n * rows_a_key(track) * sn_track_width(kind);
}

static void free_joint(sn_joint *joint)
{
    sn_free(joint->name);
    for (int k = 0; k < SN_N_TRACKS; k++) {
        sn_free(joint->track[k].time);
        sn_free(joint->track[k].value);
    }
}

void sn_skeleton_free(sn_skeleton *skeleton)
{
    for (size_t j = 0; j < skeleton->joints.count; j++)
        free_joint(&skeleton->joints.data[j]);
    sn_vector_free(&skeleton->joints);
}

int sn_skeleton_find(const sn_skeleton *skeleton, const char *name)
{
    for (size_t j = 0; j < skeleton->joints.count; j++)
        if (strcmp(skeleton->joints.data[j].name, name) == 0)
            return (int)j;
    return -1;
}

static double key_time(const sn_track *track, size_t key)
{
    return track->time ? track->time[key] : (double)key;
}

/* The last key that is not after the time; the first if all are after it. */
static size_t key_before(const sn_track *track, double time)
{
    size_t low = 0, high = track->n; /* the answer is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (key_time(track, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Two keys, how far it is from one to the other, and the time that lies between them; the same
 * key twice on a key and outside. */
typedef struct {
    const double *a, *b;
    double t, time;
} span;

static span span_at(const sn_track *track, sn_track_kind kind, double time)
{
    size_t key = key_before(track, time), row = sn_track_width(kind) * rows_a_key(track);
    const double *a = track->value + key * row;
    if (track->join == SN_JOIN_SPLINE)
        a += sn_track_width(kind); /* from the slope before it to the value */
    double from = key_time(track, key);
    if (time <= from || key + 1 == track->n || track->join == SN_JOIN_STEP)
        return (span){a, a, 0, 0};
    double length = key_time(track, key + 1) - from;
    return (span){a, a + row, (time - from) / length, length};
}

/* The cubic with the values and slopes of both keys. */
static void spline(const span *s, size_t width, double *row)
{
    double t = s->t, t2 = t * t, t3 = t2 * t;
    const double *leaving = s->a + width, *coming = s->b - width;
    for (size_t i = 0; i < width; i++)
        row[i] = (2 * t3 - 3 * t2 + 1) * s->a[i] + s->time * (t3 - 2 * t2 + t) * leaving[i] +
                 (3 * t2 - 2 * t3) * s->b[i] + s->time * (t3 - t2) * coming[i];
}

static void join_numbers(const sn_track *track, sn_track_kind kind, double time, double *row)
{
    size_t width = sn_track_width(kind);
    span s = span_at(track, kind, time);
    if (s.a != s.b && track->join == SN_JOIN_SPLINE)
        spline(&s, width, row);
    else
        for (size_t i = 0; i < width; i++)
            row[i] = s.a == s.b ? s.a[i] : s.a[i] + s.t * (s.b[i] - s.a[i]);
}

static sn_quaternion load_turn(const double *row)
{
    return (sn_quaternion){row[0], sn_vec_load(row + 1)};
}

/* A spline between opposite turns can pass through nothing, where the last key is held. */
static sn_quaternion spline_turn(const span *s)
{
    double row[4];
    spline(s, 4, row);
    bool nothing = row[0] == 0 && row[1] == 0 && row[2] == 0 && row[3] == 0;
    return load_turn(nothing ? s->a : row);
}

static sn_quaternion turn_at(const sn_track *track, double time)
{
    if (track->n == 0)
        return (sn_quaternion){.w = 1};
    span s = span_at(track, SN_TRACK_TURN, time);
    if (track->join == SN_JOIN_SPLINE)
        return sn_quaternion_unit(s.a == s.b ? load_turn(s.a) : spline_turn(&s));
    return s.a == s.b ? load_turn(s.a) : sn_quaternion_slerp(load_turn(s.a), load_turn(s.b), s.t);
}

static bool moves(const sn_joint *joint)
{
    for (int k = 0; k < SN_N_TRACKS; k++)
        if (joint->track[k].n > 0)
            return true;
    return false;
}

/* Relative to the parent. */
static sn_affine joint_at(const sn_joint *joint, double time)
{
    if (!moves(joint))
        return joint->rest;
    if (joint->track[SN_TRACK_MATRIX].n > 0) {
        double matrix[12];
        join_numbers(&joint->track[SN_TRACK_MATRIX], SN_TRACK_MATRIX, time, matrix);
        return sn_affine_of(matrix);
    }
    double shift[3] = {0}, stretch[3] = {1, 1, 1};
    if (joint->track[SN_TRACK_SHIFT].n > 0)
        join_numbers(&joint->track[SN_TRACK_SHIFT], SN_TRACK_SHIFT, time, shift);
    if (joint->track[SN_TRACK_STRETCH].n > 0)
        join_numbers(&joint->track[SN_TRACK_STRETCH], SN_TRACK_STRETCH, time, stretch);
    sn_affine pose =
        sn_affine_rigid(turn_at(&joint->track[SN_TRACK_TURN], time), sn_vec_load(shift));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            pose.row[i][j] *= stretch[j];
    return pose;
}

sn_affine sn_skeleton_pose(const sn_skeleton *skeleton, int joint, double time)
{
    const sn_joint *at = &skeleton->joints.data[joint];
    sn_affine pose = joint_at(at, time);
    while (at->parent >= 0) {
        at = &skeleton->joints.data[at->parent];
        sn_affine parent = joint_at(at, time);
        pose = sn_affine_after(&parent, &pose);
    }
    return pose;
}

sn_affine sn_skeleton_rest(const sn_skeleton *skeleton, int joint)
{
    const sn_joint *at = &skeleton->joints.data[joint];
    sn_affine pose = at->rest;
    while (at->parent >= 0) {
        at = &skeleton->joints.data[at->parent];
        pose = sn_affine_after(&at->rest, &pose);
    }
    return pose;
}

/* Relative to the parent. */
static sn_affine joint_on_way(const sn_joint *joint, const sn_skeleton_way *way)
{
    sn_affine rest = isnan(way->rest) ? joint->rest : joint_at(joint, way->rest);
    sn_affine start = joint_at(joint, way->start), ahead = joint_at(joint, way->ahead);
    sn_affine goal = sn_affine_mirrored(&ahead, &start);
    return sn_affine_between(&rest, &goal, way->part);
}

sn_affine sn_skeleton_pose_on_way(const sn_skeleton *skeleton, int joint,
                                  const sn_skeleton_way *way)
{
    const sn_joint *at = &skeleton->joints.data[joint];
    sn_affine pose = joint_on_way(at, way);
    while (at->parent >= 0) {
        at = &skeleton->joints.data[at->parent];
        sn_affine parent = joint_on_way(at, way);
        pose = sn_affine_after(&parent, &pose);
    }
    return pose;
}

double sn_joint_strays(const sn_joint *joint)
{
    const sn_track *track = &joint->track[SN_TRACK_SHIFT];
    size_t rows = rows_a_key(track);
    double most = 0;
    for (size_t key = 0; key < track->n; key++) {
        const double *row = track->value + 3 * (rows * key + rows / 2);
        double way = 0;
        for (int d = 0; d < 3; d++)
            way = hypot(way, row[d] - joint->rest.row[d][3]);
        most = fmax(most, way);
    }
    return most;
}

static double *copy_numbers(const double *from, size_t n)
{
    if (!from)
        return NULL;
    double *copy = SN_NEW(double, n);
    memcpy(copy, from, n * sizeof *from);
    return copy;
}

static sn_joint copy_joint(const sn_joint *from, int parent)
{
    sn_joint joint = *from;
    joint.name = sn_copy_text(from->name);
    joint.parent = parent;
    for (int k = 0; k < SN_N_TRACKS; k++) {
        const sn_track *track = &from->track[k];
        joint.track[k].time = copy_numbers(track->time, track->n);
        joint.track[k].value = copy_numbers(track->value, sn_track_numbers(track, k));
    }
    return joint;
}

sn_skeleton sn_skeleton_chain(const sn_skeleton *skeleton, int joint)
{
    sn_skeleton chain = {
        .in_seconds = skeleton->in_seconds, .fps = skeleton->fps, .last = skeleton->last};
    size_t length = 0;
    for (int j = joint; j >= 0; j = skeleton->joints.data[j].parent)
        length++;
    sn_reserve(&chain.joints, length);
    chain.joints.count = length;
    for (int j = joint; j >= 0; j = skeleton->joints.data[j].parent) {
        length--;
        chain.joints.data[length] = copy_joint(&skeleton->joints.data[j], (int)length - 1);
    }
    return chain;
}
