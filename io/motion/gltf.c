#include "io/motion/gltf.h"

#include "io/motion/assimp.h"
#include "io/motion/read.h"
#include "io/motion/rig.h"
#include "io/schema/origin.h"
#include "io/text/name_list.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    sn_gltf *gltf;
    sn_skeleton *skeleton;
    size_t n_nodes;
    int *joint_of; /* by the number of a node; -1: it is not in the scene */
    bool *is_twin; /* by joint: others have the same name */
    size_t n_keys; /* of all tracks */
} reader;

/* Keys are fewer than the file's bytes, but where channels share samplers: then there may be so
 * many more. */
enum { KEYS_OF_ANY = 1 << 22 };

/* What a node can be moved by, as glTF calls it, in the order of the tracks. */
enum { N_WAYS = 3 };
static const char *const ways[N_WAYS] = {
    [SN_TRACK_SHIFT] = "translation", [SN_TRACK_TURN] = "rotation", [SN_TRACK_STRETCH] = "scale"};

/* A sampler's keys and values. */

static bool all_finite(const double *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(numbers[i]))
            return false;
    return true;
}

static sn_status find_join(const reader *r, const sn_gltf_object *sampler, sn_join *join)
{
    static const char *const names[] = {
        [SN_JOIN_LINEAR] = "LINEAR", [SN_JOIN_STEP] = "STEP", [SN_JOIN_SPLINE] = "CUBICSPLINE"};
    const char *name = sn_gltf_text(sampler, "interpolation", names[SN_JOIN_LINEAR]);
    for (*join = SN_JOIN_LINEAR; *join <= SN_JOIN_SPLINE; ++*join)
        if (strcmp(name, names[*join]) == 0)
            return SN_OK;
    return SN_FAIL(SN_BAD_INPUT,
                   "%s: %s: expected the interpolation LINEAR, STEP or CUBICSPLINE, got \"%.40s\"",
                   r->gltf->path, sampler->name, name);
}

/* From x y z w to w x y z. */
static void reorder(double *row)
{
    double w = row[3];
    memmove(row + 1, row, 3 * sizeof *row);
    row[0] = w;
}

/* Those of a spline are made unit quaternions after they are joined, not before. */
static sn_status make_turns(const reader *r, const sn_gltf_object *sampler, sn_track *track)
{
    bool spline = track->join == SN_JOIN_SPLINE;
    size_t n_rows = sn_track_numbers(track, SN_TRACK_TURN) / 4;
    for (size_t i = 0; i < n_rows; i++) {
        double *row = track->value + 4 * i;
        reorder(row);
        if (spline && i % 3 != 1)
            continue; /* a slope */
        sn_quaternion turn = sn_quaternion_unit((sn_quaternion){row[0], sn_vec_load(row + 1)});
        if (!isfinite(turn.w))
            return SN_FAIL(SN_BAD_INPUT, "%s: %s: key %zu is a rotation without a length",
                           r->gltf->path, sampler->name, (spline ? i / 3 : i) + 1);
        if (spline)
            continue;
        row[0] = turn.w;
        sn_vec_store(turn.v, row + 1);
    }
    return SN_OK;
}

static sn_status check_track(const reader *r, const sn_gltf_object *sampler, sn_track_kind kind,
                             const sn_track *track)
{
    if (!all_finite(track->time, track->n) ||
        !all_finite(track->value, sn_track_numbers(track, kind)))
        return SN_FAIL(SN_BAD_INPUT, "%s: %s has a key that is not finite", r->gltf->path,
                       sampler->name);
    for (size_t k = 1; k < track->n; k++)
        if (track->time[k] < track->time[k - 1])
            return SN_FAIL(SN_BAD_INPUT, "%s: %s: key %zu is before the last one", r->gltf->path,
                           sampler->name, k + 1);
    return SN_OK;
}

static sn_status fill_track(reader *r, const sn_gltf_object *sampler, sn_track_kind kind,
                            sn_track *track)
{
    size_t input, output, n_rows, width = sn_track_width(kind);
    SN_TRY(find_join(r, sampler, &track->join));
    SN_TRY(sn_gltf_index(r->gltf, sampler, "input", &input));
    SN_TRY(sn_gltf_index(r->gltf, sampler, "output", &output));
    SN_TRY(sn_gltf_numbers(r->gltf, input, 1, &track->time, &track->n));
    if (track->n == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s has no keys", r->gltf->path, sampler->name);
    SN_TRY(sn_gltf_numbers(r->gltf, output, width, &track->value, &n_rows));
    size_t expected = sn_track_numbers(track, kind) / width;
    if (n_rows != expected)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s: expected %zu values%s for %zu keys, got %zu",
                       r->gltf->path, sampler->name, expected,
                       track->join == SN_JOIN_SPLINE ? " and tangents" : "", track->n, n_rows);
    SN_TRY(check_track(r, sampler, kind, track));
    return kind == SN_TRACK_TURN ? make_turns(r, sampler, track) : SN_OK;
}

static void free_track(sn_track *track)
{
    sn_free(track->time);
    sn_free(track->value);
}

static sn_status read_track(reader *r, const sn_gltf_object *sampler, sn_track_kind kind,
                            sn_track *track)
{
    sn_track fresh = {0};
    sn_status status = fill_track(r, sampler, kind, &fresh);
    if (status == SN_OK)
        *track = fresh;
    else
        free_track(&fresh);
    return status;
}

/* A channel: which sampler moves which node in which way. */
typedef struct {
    sn_gltf_object sampler;
    sn_gltf_object node;
    size_t node_index;
    sn_track_kind kind;
    bool moves_nodes; /* else it is of an extension, or changes a mesh */
} channel;

static bool find_way(const char *path, sn_track_kind *kind)
{
    for (*kind = SN_TRACK_SHIFT; *kind <= SN_TRACK_STRETCH; ++*kind)
        if (strcmp(path, ways[*kind]) == 0)
            return true;
    return false;
}

static sn_status find_channel(const reader *r, const sn_gltf_object *animation, size_t index,
                              channel *c)
{
    const sn_gltf *g = r->gltf;
    sn_gltf_object object, target;
    size_t sampler;
    SN_TRY(sn_gltf_entry(g, animation, "channels", index, &object));
    SN_TRY(sn_gltf_child(g, &object, "target", &target));
    c->moves_nodes =
        sn_gltf_member(&target, "node") && find_way(sn_gltf_text(&target, "path", ""), &c->kind);
    SN_TRY(sn_gltf_index(g, &object, "sampler", &sampler));
    SN_TRY(sn_gltf_entry(g, animation, "samplers", sampler, &c->sampler));
    if (!c->moves_nodes)
        return SN_OK;
    SN_TRY(sn_gltf_index(g, &target, "node", &c->node_index));
    SN_TRY(sn_gltf_node_object(g, c->node_index, &c->node));
    if (sn_gltf_member(&c->node, "matrix"))
        return SN_FAIL(SN_BAD_INPUT, "%s: %s is moved by %s, but has a matrix", g->path,
                       c->node.name, object.name);
    return SN_OK;
}

static sn_status choose_animation(const reader *r, const char *name, sn_gltf_object *chosen)
{
    sn_gltf_object root = sn_gltf_root(r->gltf);
    sn_name_list known = {{0}};
    size_t n = sn_gltf_count(&root, "animations");
    for (size_t a = 0; a < n; a++) {
        SN_TRY(sn_gltf_entry(r->gltf, &root, "animations", a, chosen));
        const char *this_name = sn_gltf_text(chosen, "name", "");
        if (!name || strcmp(name, this_name) == 0)
            return SN_OK;
        sn_name_list_add(&known, this_name);
    }
    if (n == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no animation", r->gltf->path);
    return SN_FAIL(SN_BAD_INPUT, "%s: has no animation \"%.80s\"; it has: %s", r->gltf->path, name,
                   known.text);
}

/* Nodes. */

static void add_joint(const reader *r, const sn_gltf_node *node, const sn_gltf_object *object)
{
    sn_joint joint = {.parent = node->parent, .rest = node->local};
    joint.name = sn_copy_text(sn_gltf_node_name(object));
    r->joint_of[node->index] = (int)r->skeleton->joints.count;
    sn_push(&r->skeleton->joints, joint);
}

static sn_status add_joints(const reader *r, const sn_gltf_nodes *nodes)
{
    sn_gltf_object object;
    for (size_t i = 0; i < nodes->count; i++) {
        SN_TRY(sn_gltf_node_object(r->gltf, nodes->data[i].index, &object));
        add_joint(r, &nodes->data[i], &object);
    }
    return nodes->count > 0 ? SN_OK : SN_FAIL(SN_BAD_INPUT, "%s: has no nodes", r->gltf->path);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const sn_joint *const *)a)->name, (*(const sn_joint *const *)b)->name);
}

/* Names that are sorted stand beside their equals. */
static void find_twins(reader *r)
{
    size_t n = r->skeleton->joints.count;
    const sn_joint *joints = r->skeleton->joints.data, **sorted = SN_NEW(const sn_joint *, n);
    for (size_t j = 0; j < n; j++)
        sorted[j] = &joints[j];
    qsort(sorted, n, sizeof *sorted, compare_names);
    r->is_twin = SN_NEW_ZERO(bool, n);
    for (size_t j = 1; j < n; j++)
        if (compare_names(&sorted[j - 1], &sorted[j]) == 0)
            r->is_twin[sorted[j - 1] - joints] = r->is_twin[sorted[j] - joints] = true;
    sn_free(sorted);
}

static sn_status read_nodes(reader *r)
{
    sn_gltf_object root = sn_gltf_root(r->gltf);
    sn_gltf_nodes nodes = {0};
    r->n_nodes = sn_gltf_count(&root, "nodes");
    r->joint_of = SN_NEW(int, r->n_nodes);
    for (size_t i = 0; i < r->n_nodes; i++)
        r->joint_of[i] = -1;
    sn_status status = sn_gltf_list_nodes(r->gltf, &nodes);
    if (status == SN_OK)
        status = add_joints(r, &nodes);
    sn_vector_free(&nodes);
    if (status == SN_OK)
        find_twins(r);
    return status;
}

static sn_status find_moved(const reader *r, const channel *c, sn_joint **joint)
{
    const char *name = sn_gltf_node_name(&c->node);
    int index = r->joint_of[c->node_index];
    if (index < 0)
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: the animation moves a node \"%.80s\" that is not in the "
                       "scene",
                       r->gltf->path, name);
    if (r->is_twin[index])
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: the animation moves \"%.80s\", but several nodes "
                       "are called so",
                       r->gltf->path, name);
    *joint = &r->skeleton->joints.data[index];
    return SN_OK;
}

/* Of all buffers that were read, and the file itself. */
static size_t bytes_of(const sn_gltf *g)
{
    size_t bytes = g->file.bytes;
    for (size_t b = 0; b < g->buffers.count; b++)
        if (g->buffers.data[b].owned)
            bytes += g->buffers.data[b].file.bytes;
    return bytes;
}

static sn_status count_keys(reader *r, const sn_track *track)
{
    r->n_keys += track->n;
    if (r->n_keys <= KEYS_OF_ANY + bytes_of(r->gltf))
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: its animation has more than %d keys that are in no file",
                   r->gltf->path, KEYS_OF_ANY);
}

static sn_status move_node(reader *r, const channel *c)
{
    sn_joint *joint = NULL;
    SN_TRY(find_moved(r, c, &joint));
    sn_track *track = &joint->track[c->kind];
    if (track->n > 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: the animation moves the %s of \"%.80s\" twice",
                       r->gltf->path, ways[c->kind], joint->name);
    SN_TRY(read_track(r, &c->sampler, c->kind, track));
    SN_TRY(count_keys(r, track));
    r->skeleton->last = fmax(r->skeleton->last, track->time[track->n - 1]);
    return SN_OK;
}

/* A node that moves in one way keeps what it has in the others. */
static sn_status keep_other_ways(const reader *r, const channel *c)
{
    static const double none[N_WAYS][4] = {
        [SN_TRACK_SHIFT] = {0}, [SN_TRACK_TURN] = {0, 0, 0, 1}, [SN_TRACK_STRETCH] = {1, 1, 1}};
    sn_joint *joint = NULL;
    SN_TRY(find_moved(r, c, &joint));
    for (sn_track_kind kind = SN_TRACK_SHIFT; kind <= SN_TRACK_STRETCH; kind++) {
        sn_track *track = &joint->track[kind];
        size_t width = sn_track_width(kind);
        if (track->n > 0)
            continue;
        *track = (sn_track){.n = 1, .value = SN_NEW(double, width)};
        memcpy(track->value, none[kind], width * sizeof *track->value);
        SN_TRY(sn_gltf_reals(r->gltf, &c->node, ways[kind], width, track->value));
        if (kind == SN_TRACK_TURN)
            SN_TRY(make_turns(r, &c->node, track));
    }
    return SN_OK;
}

static sn_status move_nodes(reader *r, const sn_gltf_object *animation)
{
    size_t n = sn_gltf_count(animation, "channels");
    for (size_t i = 0; i < 2 * n; i++) { /* first all that moves, then all that stays */
        channel c;
        SN_TRY(find_channel(r, animation, i % n, &c));
        if (c.moves_nodes)
            SN_TRY(i < n ? move_node(r, &c) : keep_other_ways(r, &c));
    }
    return SN_OK;
}

static sn_status read_all(reader *r, const char *animation, bool needed)
{
    sn_gltf_object root = sn_gltf_root(r->gltf), chosen;
    bool animated = needed || sn_gltf_count(&root, "animations") > 0;
    if (animated)
        SN_TRY(choose_animation(r, animation, &chosen));
    SN_TRY(read_nodes(r));
    return animated ? move_nodes(r, &chosen) : SN_OK;
}

sn_status sn_motion_skeleton_of_gltf(sn_gltf *gltf, const char *animation, bool needed,
                                     sn_skeleton *skeleton)
{
    *skeleton = (sn_skeleton){.in_seconds = true, .fps = NAN};
    reader r = {.gltf = gltf, .skeleton = skeleton};
    sn_status status = read_all(&r, animation, needed);
    sn_free(r.joint_of);
    sn_free(r.is_twin);
    return status;
}

sn_status sn_motion_read_gltf(const char *path, const char *animation, sn_skeleton *skeleton)
{
    sn_gltf gltf;
    *skeleton = (sn_skeleton){0};
    SN_TRY(sn_whole_file_check(path));
    if (sn_is_bvh_file(path))
        return SN_FAIL(SN_BAD_INPUT, "%s: expected a glTF file or another with nodes; BVH: 'bvh'",
                       path);
    if (!sn_is_gltf_file(path))
        return sn_motion_read_assimp(path, animation, skeleton);
    SN_TRY(sn_gltf_open(path, &gltf));
    sn_status status = sn_motion_skeleton_of_gltf(&gltf, animation, true, skeleton);
    sn_gltf_close(&gltf);
    if (status != SN_OK)
        sn_skeleton_free(skeleton);
    return status;
}
