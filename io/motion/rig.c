#include "io/motion/rig.h"

#include "io/gltf/skin.h"
#include "io/motion/gltf.h"
#include "io/motion/read.h"

#include <string.h>
#include <strings.h>

/* So many vertices tell which flesh is whose, however often nodes show more of them. */
enum { MOST_SHOWN = 1 << 22, MOST_JOINTS = 4096, WEIGHTS = 4 };

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcasecmp(text + length - end_length, end) == 0;
}

bool sn_is_gltf_file(const char *path)
{
    return ends_with(path, ".gltf") || ends_with(path, ".glb");
}

bool sn_is_bvh_file(const char *path)
{
    return ends_with(path, ".bvh");
}

void sn_rig_free(sn_rig *rig)
{
    sn_skeleton_free(&rig->skeleton);
    sn_free(rig->is_bone);
    sn_free(rig->first_vertex);
    sn_vector_free(&rig->flesh);
    *rig = (sn_rig){0};
}

/* ---- BVH ---- */

static sn_status read_bvh(const char *path, sn_bvh_positions positions, sn_rig *rig)
{
    SN_TRY(sn_motion_read_bvh(path, positions, &rig->skeleton));
    size_t n = rig->skeleton.joints.count;
    rig->is_bone = SN_NEW_ZERO(bool, n);
    for (size_t j = 0; j < n; j++)
        rig->is_bone[j] = !rig->skeleton.joints.data[j].is_end;
    return SN_OK;
}

/* ---- glTF ---- */

typedef struct {
    sn_gltf gltf;
    sn_gltf_nodes nodes;
    size_t skin_index;
    sn_gltf_skin skin;
    sn_rig *rig;
    size_t n_shown; /* primitives and vertices that were looked at */
} reader;

static bool is_moved(const sn_joint *joint)
{
    for (int k = 0; k < SN_N_TRACKS; k++)
        if (joint->track[k].n > 0)
            return true;
    return false;
}

/* An animation may move other things of the file beside, but must move some joint, or what it
 * hangs on. */
static sn_status check_animation(const reader *r)
{
    const sn_skeleton *s = &r->rig->skeleton;
    bool any = false;
    for (size_t j = 0; j < s->joints.count; j++)
        any = any || is_moved(&s->joints.data[j]);
    if (!any)
        return SN_OK;
    for (size_t i = 0; i < r->skin.n; i++)
        for (int j = r->skin.joint[i]; j >= 0; j = s->joints.data[j].parent)
            if (is_moved(&s->joints.data[j]))
                return SN_OK;
    return SN_FAIL(SN_BAD_INPUT,
                   "%s: the animation moves none of the skin's joints: it is that of another "
                   "skeleton",
                   r->gltf.path);
}

/* A joint that no key moves stays where its node is, which need not be where it rests. */
static void hold_still(sn_joint *joint)
{
    sn_track *track = &joint->track[SN_TRACK_MATRIX];
    *track = (sn_track){.n = 1, .value = SN_NEW(double, 12)};
    memcpy(track->value, joint->rest.row, 12 * sizeof *track->value);
}

/* By node, where its joint rests; NULL: it is none of the skin's. */
static const sn_affine **bound_of_nodes(const sn_gltf_skin *skin, size_t n)
{
    const sn_affine **bound = SN_NEW_ZERO(const sn_affine *, n);
    for (size_t i = 0; i < skin->n; i++)
        bound[skin->joint[i]] = &skin->rest[i];
    return bound;
}

static sn_status rest_as_bound(reader *r)
{
    sn_skeleton *s = &r->rig->skeleton;
    size_t n = s->joints.count;
    sn_affine *rest = SN_NEW(sn_affine, n), back;
    const sn_affine **bound = bound_of_nodes(&r->skin, n);
    bool any = false, good = true;
    for (size_t j = 0; j < n; j++)
        any = any || is_moved(&s->joints.data[j]);
    for (size_t j = 0; j < n && good; j++) {
        sn_joint *joint = &s->joints.data[j];
        const sn_affine *parent = joint->parent < 0 ? &SN_IDENTITY : &rest[joint->parent];
        rest[j] = bound[j] ? *bound[j] : sn_affine_after(parent, &joint->rest);
        if (any && !is_moved(joint))
            hold_still(joint);
        good = sn_affine_invert(parent, &back);
        if (good)
            joint->rest = sn_affine_after(&back, &rest[j]);
    }
    sn_free(rest);
    sn_free(bound);
    return good ? SN_OK
                : SN_FAIL(SN_BAD_INPUT, "%s: a node above its joints flattens space", r->gltf.path);
}

/* What vertices are moved by. */
typedef struct {
    double *position, *weight;
    uint32_t *joint;
    size_t n, n_weights, n_joints;
} bound;

static sn_status read_bound(reader *r, const sn_gltf_object *attributes, bound *b)
{
    size_t position, joints, weights;
    SN_TRY(sn_gltf_index(&r->gltf, attributes, "POSITION", &position));
    SN_TRY(sn_gltf_index(&r->gltf, attributes, "JOINTS_0", &joints));
    SN_TRY(sn_gltf_index(&r->gltf, attributes, "WEIGHTS_0", &weights));
    SN_TRY(sn_gltf_numbers(&r->gltf, position, 3, &b->position, &b->n));
    SN_TRY(sn_gltf_whole_numbers(&r->gltf, joints, WEIGHTS, &b->joint, &b->n_joints));
    SN_TRY(sn_gltf_numbers(&r->gltf, weights, WEIGHTS, &b->weight, &b->n_weights));
    if (b->n_joints == b->n && b->n_weights == b->n)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: %s: %zu vertices have %zu joints and %zu weights",
                   r->gltf.path, attributes->name, b->n, b->n_joints, b->n_weights);
}

static void add_vertex(reader *r, const bound *b, size_t v)
{
    const double *weight = b->weight + WEIGHTS * v;
    int most = 0;
    for (int k = 1; k < WEIGHTS; k++)
        most = weight[k] > weight[most] ? k : most;
    size_t joint = b->joint[WEIGHTS * v + (size_t)most];
    sn_rig_vertex vertex = {0};
    if (joint >= r->skin.n || !(weight[most] > 0))
        return;
    vertex.joint = r->skin.joint[joint];
    sn_affine_apply(&r->skin.place, b->position + 3 * v, vertex.at);
    sn_push(&r->rig->flesh, vertex);
}

static sn_status add_primitive(reader *r, const sn_gltf_object *primitive)
{
    sn_gltf_object attributes;
    bound b = {0};
    SN_TRY(sn_gltf_child(&r->gltf, primitive, "attributes", &attributes));
    if (!sn_gltf_member(&attributes, "JOINTS_0") || !sn_gltf_member(&attributes, "WEIGHTS_0"))
        return SN_OK;
    sn_status status = read_bound(r, &attributes, &b);
    r->n_shown += b.n;
    for (size_t v = 0; v < b.n && status == SN_OK; v++)
        add_vertex(r, &b, v);
    sn_free(b.position);
    sn_free(b.weight);
    sn_free(b.joint);
    return status;
}

/* The mesh of a node, if it has this skin. */
static sn_status add_node(reader *r, size_t index)
{
    sn_gltf_object root = sn_gltf_root(&r->gltf), node, mesh, primitive;
    size_t skin, number;
    SN_TRY(sn_gltf_node_object(&r->gltf, index, &node));
    if (!sn_gltf_member(&node, "mesh") || !sn_gltf_member(&node, "skin"))
        return SN_OK;
    SN_TRY(sn_gltf_index(&r->gltf, &node, "skin", &skin));
    SN_TRY(sn_gltf_index(&r->gltf, &node, "mesh", &number));
    if (skin != r->skin_index || r->n_shown >= MOST_SHOWN)
        return SN_OK;
    SN_TRY(sn_gltf_entry(&r->gltf, &root, "meshes", number, &mesh));
    for (size_t i = 0; i < sn_gltf_count(&mesh, "primitives") && r->n_shown < MOST_SHOWN; i++) {
        r->n_shown++;
        SN_TRY(sn_gltf_entry(&r->gltf, &mesh, "primitives", i, &primitive));
        SN_TRY(add_primitive(r, &primitive));
    }
    return SN_OK;
}

static sn_status read_opened(reader *r, const char *skin, const char *animation)
{
    SN_TRY(sn_gltf_choose_skin(&r->gltf, skin, &r->skin_index));
    SN_TRY(sn_gltf_list_nodes(&r->gltf, &r->nodes));
    SN_TRY(sn_gltf_read_skin(&r->gltf, &r->nodes, r->skin_index, &r->skin));
    SN_TRY(sn_motion_skeleton_of_gltf(&r->gltf, animation, animation != NULL, &r->rig->skeleton));
    SN_TRY(check_animation(r));
    SN_TRY(rest_as_bound(r));
    r->rig->is_bone = SN_NEW_ZERO(bool, r->nodes.count);
    for (size_t i = 0; i < r->skin.n; i++)
        r->rig->is_bone[r->skin.joint[i]] = true;
    for (size_t i = 0; i < r->nodes.count; i++)
        SN_TRY(add_node(r, r->nodes.data[i].index));
    return SN_OK;
}

static sn_status read_gltf(const char *path, const char *skin, const char *animation, sn_rig *rig)
{
    reader r = {.rig = rig};
    SN_TRY(sn_whole_file_check(path));
    SN_TRY(sn_gltf_open(path, &r.gltf));
    sn_status status = read_opened(&r, skin, animation);
    sn_gltf_skin_free(&r.skin);
    sn_vector_free(&r.nodes);
    sn_gltf_close(&r.gltf);
    return status;
}

/* ---- Both ---- */

static void sort_flesh(sn_rig *rig)
{
    size_t n = rig->skeleton.joints.count, n_flesh = rig->flesh.count;
    sn_rig_vertex *sorted = SN_NEW(sn_rig_vertex, n_flesh);
    rig->first_vertex = SN_NEW_ZERO(size_t, n + 2);
    size_t *place = rig->first_vertex + 1; /* while they are put there: where the next one goes */
    for (size_t v = 0; v < n_flesh; v++)
        place[rig->flesh.data[v].joint + 1]++;
    for (size_t j = 0; j < n; j++)
        place[j + 1] += place[j];
    for (size_t v = 0; v < n_flesh; v++)
        sorted[place[rig->flesh.data[v].joint]++] = rig->flesh.data[v];
    if (n_flesh > 0)
        memcpy(rig->flesh.data, sorted, n_flesh * sizeof *sorted);
    sn_free(sorted);
}

static sn_status check_number(const char *path, const sn_rig *rig)
{
    size_t n = 0;
    for (size_t j = 0; j < rig->skeleton.joints.count; j++)
        n += rig->is_bone[j];
    return n <= MOST_JOINTS
               ? SN_OK
               : SN_FAIL(SN_BAD_INPUT, "%s: has %zu joints, more than %d", path, n, MOST_JOINTS);
}

static sn_status check_lengths(const char *path, const sn_rig *rig)
{
    const sn_skeleton *s = &rig->skeleton;
    sn_affine first = sn_skeleton_rest(s, 0), rest;
    for (size_t j = 0; j < s->joints.count; j++) {
        rest = sn_skeleton_rest(s, (int)j);
        if (!sn_affine_is_finite(&rest))
            return SN_FAIL(SN_BAD_INPUT, "%s: the joint \"%.80s\" is not at a finite place", path,
                           s->joints.data[j].name);
        for (int d = 0; d < 3; d++)
            if (rest.row[d][3] != first.row[d][3])
                return SN_OK;
    }
    return rig->flesh.count > 0
               ? SN_OK
               : SN_FAIL(SN_BAD_INPUT, "%s: all joints are at one place: no bone has a length",
                         path);
}

sn_status sn_rig_read(const char *path, const char *skin, const char *animation,
                      sn_bvh_positions positions, sn_rig *rig)
{
    *rig = (sn_rig){0};
    sn_status status;
    if (sn_is_gltf_file(path))
        status = read_gltf(path, skin, animation, rig);
    else if (sn_is_bvh_file(path))
        status = read_bvh(path, positions, rig);
    else
        return SN_FAIL(SN_BAD_INPUT,
                       "%s: skeletons are read from glTF and BVH files (.glb, .gltf, .bvh); other "
                       "programs write them, Blender among them",
                       path);
    if (status == SN_OK)
        status = check_number(path, rig);
    if (status == SN_OK)
        status = check_lengths(path, rig);
    if (status == SN_OK)
        sort_flesh(rig);
    if (status != SN_OK)
        sn_rig_free(rig);
    return status;
}
