#define _GNU_SOURCE /* memmem */
#include "io/motion_read.h"

#include "base/log.h"
#include "io/name_list.h"
#include "io/origin.h"
#include "io/whole_file.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>
#include <string.h>
#include <strings.h>

/* Of a file that does not say: Assimp counts glTF's times in milliseconds. */
static const double TICKS_A_SECOND = 1000;

typedef struct {
    const char *path;
    const struct aiAnimation *animation;
    sn_skeleton *skeleton;
} reader;

static sn_affine affine_of(const struct aiMatrix4x4 *m)
{
    return (sn_affine){{{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                        {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                        {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4}}};
}

static bool all_finite(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static sn_status add_nodes(const reader *r, const struct aiNode *node, int parent)
{
    sn_joint joint = {.parent = parent, .rest = affine_of(&node->mTransformation)};
    if (!sn_affine_is_finite(&joint.rest))
        return SN_FAIL(SN_BAD_INPUT, "%s: node \"%.80s\" has a place that is not finite", r->path,
                       node->mName.data);
    joint.name = sn_copy_text(node->mName.data);
    sn_push(&r->skeleton->joints, joint);
    int self = (int)r->skeleton->joints.count - 1;
    for (unsigned c = 0; c < node->mNumChildren; c++)
        SN_TRY(add_nodes(r, node->mChildren[c], self));
    return SN_OK;
}

static double seconds(const reader *r, double ticks)
{
    double rate = r->animation->mTicksPerSecond;
    return ticks / (rate > 0 ? rate : TICKS_A_SECOND);
}

static void new_track(sn_track *track, sn_track_kind kind, unsigned n)
{
    track->n = n;
    track->time = n > 0 ? SN_NEW(double, n) : NULL;
    track->value = n > 0 ? SN_NEW(double, n *sn_track_width(kind)) : NULL;
}

static void read_vectors(const reader *r, const struct aiVectorKey *keys, unsigned n,
                         sn_track_kind kind, sn_joint *joint)
{
    sn_track *track = &joint->track[kind];
    new_track(track, kind, n);
    for (unsigned k = 0; k < n; k++) {
        const struct aiVector3D *v = &keys[k].mValue;
        track->time[k] = seconds(r, keys[k].mTime);
        sn_vec_store((sn_vec){(double)v->x, (double)v->y, (double)v->z}, track->value + 3 * k);
    }
}

/* A quaternion without a length becomes NANs, which are refused. */
static void read_turns(const reader *r, const struct aiQuatKey *keys, unsigned n, sn_joint *joint)
{
    sn_track *track = &joint->track[SN_TRACK_TURN];
    new_track(track, SN_TRACK_TURN, n);
    for (unsigned k = 0; k < n; k++) {
        const struct aiQuaternion *v = &keys[k].mValue;
        sn_quaternion turn = {(double)v->w, {(double)v->x, (double)v->y, (double)v->z}};
        turn = sn_quaternion_unit(turn);
        track->time[k] = seconds(r, keys[k].mTime);
        track->value[4 * k] = turn.w;
        sn_vec_store(turn.v, track->value + 4 * k + 1);
    }
}

static sn_status check_track(const reader *r, const char *node, const sn_track *track,
                             sn_track_kind kind)
{
    if (!all_finite(track->time, track->n) ||
        !all_finite(track->value, track->n * sn_track_width(kind)))
        return SN_FAIL(SN_BAD_INPUT, "%s: node \"%.80s\" has a key that is not finite", r->path,
                       node);
    for (size_t k = 1; k < track->n; k++)
        if (track->time[k] < track->time[k - 1])
            return SN_FAIL(SN_BAD_INPUT, "%s: node \"%.80s\": key %zu is before the last one",
                           r->path, node, k + 1);
    return SN_OK;
}

static sn_status find_moved(const reader *r, const char *name, sn_joint **joint)
{
    int first = sn_skeleton_find(r->skeleton, name);
    if (first < 0)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: the animation moves a node \"%.80s\" that is not in the "
                       "scene",
                       r->path, name);
    for (size_t j = (size_t)first + 1; j < r->skeleton->joints.count; j++)
        if (strcmp(r->skeleton->joints.data[j].name, name) == 0)
            return SN_FAIL(SN_BAD_INPUT,
                           "%s: the animation moves \"%.80s\", but several nodes "
                           "are called so",
                           r->path, name);
    *joint = &r->skeleton->joints.data[first];
    return SN_OK;
}

static sn_status add_channel(const reader *r, const struct aiNodeAnim *channel)
{
    sn_joint *joint = NULL;
    SN_TRY(find_moved(r, channel->mNodeName.data, &joint));
    if (joint->track[SN_TRACK_SHIFT].n + joint->track[SN_TRACK_TURN].n +
            joint->track[SN_TRACK_STRETCH].n >
        0)
        return SN_FAIL(SN_BAD_INPUT, "%s: the animation moves \"%.80s\" twice", r->path,
                       joint->name);
    read_vectors(r, channel->mPositionKeys, channel->mNumPositionKeys, SN_TRACK_SHIFT, joint);
    read_turns(r, channel->mRotationKeys, channel->mNumRotationKeys, joint);
    read_vectors(r, channel->mScalingKeys, channel->mNumScalingKeys, SN_TRACK_STRETCH, joint);
    for (int k = 0; k < SN_N_TRACKS; k++) {
        const sn_track *track = &joint->track[k];
        SN_TRY(check_track(r, joint->name, track, k));
        if (track->n > 0 && track->time[track->n - 1] > r->skeleton->last)
            r->skeleton->last = track->time[track->n - 1];
    }
    return SN_OK;
}

static sn_status choose_animation(const char *path, const struct aiScene *scene, const char *name,
                                  const struct aiAnimation **chosen)
{
    sn_name_list known = {{0}};
    for (unsigned a = 0; a < scene->mNumAnimations; a++) {
        *chosen = scene->mAnimations[a];
        if (!name || strcmp(name, (*chosen)->mName.data) == 0)
            return SN_OK;
        sn_name_list_add(&known, (*chosen)->mName.data);
    }
    if (scene->mNumAnimations == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no animation", path);
    return SN_FAIL(SN_BAD_INPUT, "%s: has no animation \"%.80s\"; it has: %s", path, name,
                   known.text);
}

static sn_status read_scene(const char *path, const struct aiScene *scene, const char *animation,
                            sn_skeleton *skeleton)
{
    reader r = {.path = path, .skeleton = skeleton};
    if (!scene->mRootNode)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no nodes", path);
    SN_TRY(choose_animation(path, scene, animation, &r.animation));
    SN_TRY(add_nodes(&r, scene->mRootNode, -1));
    for (unsigned c = 0; c < r.animation->mNumChannels; c++)
        SN_TRY(add_channel(&r, r.animation->mChannels[c]));
    return SN_OK;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcasecmp(text + length - end_length, end) == 0;
}

/* Assimp hands on keys, but not how they are to be joined. */
static sn_status warn_of_curves(const char *path)
{
    static const char *const curves[] = {"\"STEP\"", "\"CUBICSPLINE\""};
    sn_whole_file file;
    SN_TRY(sn_whole_file_read(path, &file));
    for (int c = 0; c < 2; c++)
        if (memmem(file.data, file.bytes, curves[c], strlen(curves[c])))
            sn_warn("%s: has samplers with %s interpolation, between whose keys it goes straight",
                    path, curves[c]);
    sn_whole_file_free(&file);
    return SN_OK;
}

sn_status sn_motion_read_gltf(const char *path, const char *animation, sn_skeleton *skeleton)
{
    *skeleton = (sn_skeleton){.in_seconds = true, .fps = NAN};
    SN_TRY(sn_whole_file_check(path));
    if (!ends_with(path, ".gltf") && !ends_with(path, ".glb"))
        return SN_FAIL(SN_BAD_INPUT, "%s: expected a file that ends in .gltf or .glb", path);
    SN_TRY(warn_of_curves(path));
    const struct aiScene *scene = aiImportFile(path, 0);
    if (!scene)
        return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the animation: %s", path, aiGetErrorString());
    sn_status status = read_scene(path, scene, animation, skeleton);
    aiReleaseImport(scene);
    if (status != SN_OK)
        sn_skeleton_free(skeleton);
    return status;
}
