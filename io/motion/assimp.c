#include "io/motion/assimp.h"

#include "io/mesh/import_stream.h"
#include "io/motion/read.h"
#include "io/schema/origin.h"
#include "io/text/whole_file.h"

#include <stdlib.h>
#include <string.h>

/* What a joint moves by, in the order of the tracks. */
static const char *const ways[SN_IMPORT_TRACKS] = {
    [SN_TRACK_SHIFT] = "shift", [SN_TRACK_TURN] = "turn", [SN_TRACK_STRETCH] = "stretch"};

/* More keys than this are no animation, and a count is not believed before. */
enum { MOST_KEYS = 1 << 24 };

/* What came to an end too early is told by how the child ended. */
static bool receive(sn_assimp_stream *s, void *data, size_t bytes)
{
    s->whole = s->whole && sn_import_child_receive(&s->child, data, bytes);
    return s->whole;
}

static sn_status fail(const sn_assimp_stream *s, const sn_joint *joint, const char *problem)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: the joint \"%.80s\" %s", s->child.path, joint->name, problem);
}

static bool are_finite(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static sn_status make_units(const sn_assimp_stream *s, const sn_joint *joint, sn_track *track)
{
    for (size_t k = 0; k < track->n; k++) {
        double *row = track->value + 4 * k;
        sn_quaternion turn = sn_quaternion_unit((sn_quaternion){row[0], sn_vec_load(row + 1)});
        if (!isfinite(turn.w))
            return fail(s, joint, "has a key that is a rotation without a length");
        row[0] = turn.w;
        sn_vec_store(turn.v, row + 1);
    }
    return SN_OK;
}

static sn_status check_track(const sn_assimp_stream *s, const sn_joint *joint, sn_track_kind kind)
{
    const sn_track *track = &joint->track[kind];
    if (!are_finite(track->time, track->n) ||
        !are_finite(track->value, sn_track_numbers(track, kind)))
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: the %s of the joint \"%.80s\" has a key that is not finite",
                       s->child.path, ways[kind], joint->name);
    for (size_t k = 1; k < track->n; k++)
        if (track->time[k] < track->time[k - 1])
            return SN_FAIL(SN_BAD_INPUT,
                           "%s: key %zu of the %s of the joint \"%.80s\" is before the last one",
                           s->child.path, k + 1, ways[kind], joint->name);
    return SN_OK;
}

static sn_status receive_track(sn_assimp_stream *s, size_t index, sn_track_kind kind, uint64_t n)
{
    sn_joint *joint = &s->skeleton->joints.data[index];
    sn_track *track = &joint->track[kind];
    s->whole = s->whole && n <= MOST_KEYS;
    if (!s->whole || n == 0)
        return SN_OK;
    *track = (sn_track){.n = n};
    track->time = SN_NEW_ZERO(double, n);
    track->value = SN_NEW_ZERO(double, n *sn_track_width(kind));
    if (!receive(s, track->time, n * sizeof *track->time) ||
        !receive(s, track->value, n * sn_track_width(kind) * sizeof *track->value))
        return SN_OK;
    SN_TRY(check_track(s, joint, kind));
    s->skeleton->last = fmax(s->skeleton->last, track->time[n - 1]);
    return kind == SN_TRACK_TURN ? make_units(s, joint, track) : SN_OK;
}

/* The next one, after its parent. */
static sn_status receive_joint(sn_assimp_stream *s)
{
    sn_import_joint head;
    size_t index = s->skeleton->joints.count;
    if (!receive(s, &head, sizeof head))
        return SN_OK;
    s->whole =
        head.name_bytes <= SN_IMPORT_MOST_NAME && head.parent >= -1 && head.parent < (int64_t)index;
    if (!s->whole)
        return SN_OK;
    sn_joint joint = {.name = SN_NEW_ZERO(char, head.name_bytes + 1),
                      .parent = (int)head.parent,
                      .rest = sn_affine_of(head.local)};
    receive(s, joint.name, head.name_bytes);
    sn_push(&s->skeleton->joints, joint);
    sn_push(&s->joints, ((sn_assimp_joint){head.is_bone, sn_affine_of(head.bound)}));
    if (!sn_affine_is_finite(&joint.rest))
        return fail(s, &joint, "is at a place that is not finite");
    for (sn_track_kind kind = SN_TRACK_SHIFT; kind <= SN_TRACK_STRETCH; kind++)
        SN_TRY(receive_track(s, index, kind, head.n_keys[kind]));
    return SN_OK;
}

static sn_status receive_all(sn_assimp_stream *s)
{
    sn_import_rig_head head;
    if (!receive(s, &head, sizeof head))
        return SN_OK;
    if (head.message_bytes > 0)
        return sn_import_child_message(&s->child, head.message_bytes);
    s->whole = head.n_joints <= SN_IMPORT_MOST_JOINTS && head.n_vertices <= SN_IMPORT_MOST;
    for (uint64_t j = 0; j < head.n_joints && s->whole; j++)
        SN_TRY(receive_joint(s));
    s->n_vertices = head.n_vertices;
    return SN_OK;
}

sn_status sn_assimp_receive_joints(const char *option, const char *path, const char *skin,
                                   const char *animation, sn_assimp_stream *s)
{
    const char *const words[2] = {skin ? skin : "", animation ? animation : ""};
    SN_TRY(sn_whole_file_check(path));
    *s->skeleton = (sn_skeleton){.in_seconds = true, .fps = NAN};
    SN_TRY(sn_import_child_start(option, path, "skeleton", words, &s->child));
    s->whole = true;
    return receive_all(s);
}

sn_status sn_assimp_end(sn_assimp_stream *s, sn_status status)
{
    sn_vector_free(&s->joints);
    return s->child.pipe ? sn_import_child_end(&s->child, status, s->whole) : status;
}

sn_status sn_motion_read_assimp(const char *path, const char *animation, sn_skeleton *skeleton)
{
    *skeleton = (sn_skeleton){0};
    sn_assimp_stream s = {.skeleton = skeleton};
    sn_status status = sn_assimp_receive_joints(SN_IMPORT_MOTION, path, NULL, animation, &s);
    status = sn_assimp_end(&s, status);
    if (status != SN_OK)
        sn_skeleton_free(skeleton);
    return status;
}
