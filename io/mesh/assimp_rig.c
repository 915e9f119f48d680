/* The skeleton of a scene of Assimp's, for the parent of an import. Nodes are joints. Where an FBX
 * file turns about pivots, Assimp makes a chain of nodes of one: here they are one again. */
#include "base/array.h"
#include "io/mesh/assimp_scene.h"
#include "io/mesh/assimp_send.h"
#include "io/mesh/import_stream.h"
#include "io/text/name_list.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 1000, WIDTHS = 4, MOST_WORDS = 400 };
static const size_t width[SN_IMPORT_TRACKS] = {3, 4, 3};

/* Joints are bound in one place by all meshes, but for this part of the skin's size. */
static const double SAME_PLACE = 1e-3;

/* Ticks a second where a file does not say. */
static const double USUAL_TICKS = 25;

typedef struct {
    const struct aiNode *first, *node; /* of the chain that it is, mostly the same */
    int parent;
    bool is_bone, bound_in_two;
    sn_affine bound;
    struct aiMatrix4x4 world;
} joint;

typedef struct {
    SN_VECTOR(double) time, value;
} track;

typedef struct {
    const char *path, *skin;
    const struct aiScene *scene;
    const struct aiAnimation *animation;
    SN_VECTOR(joint) joints;
    SN_VECTOR(sn_import_vertex) flesh;
    sn_name_list skins;
    size_t n_skinned;
    double size; /* of the skin */
    char problem[MOST_WORDS];
} rig;

static bool fail(rig *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fail(rig *r, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(r->problem, sizeof r->problem, format, words);
    va_end(words);
    return false;
}

/* ---- Joints ---- */

static bool goes_on(const struct aiNode *node)
{
    return strstr(node->mName.data, "_$AssimpFbx$_") && node->mNumChildren == 1 &&
           node->mNumMeshes == 0;
}

static bool add_joints(rig *r, const struct aiNode *node, const struct aiNode *first, int parent,
                       const struct aiMatrix4x4 *above, int level)
{
    joint j = {.first = first ? first : node, .node = node, .parent = parent, .world = *above};
    if (level == MOST_LEVELS || r->joints.count == SN_IMPORT_MOST_JOINTS)
        return fail(r, "it has more than %d nodes, or %d levels of them", SN_IMPORT_MOST_JOINTS,
                    MOST_LEVELS);
    aiMultiplyMatrix4(&j.world, &node->mTransformation);
    if (goes_on(node))
        return add_joints(r, node->mChildren[0], j.first, parent, &j.world, level + 1);
    sn_push(&r->joints, j);
    int here = (int)r->joints.count - 1;
    for (unsigned c = 0; c < node->mNumChildren; c++)
        if (!add_joints(r, node->mChildren[c], NULL, here, &j.world, level + 1))
            return false;
    return true;
}

static bool find_joint(rig *r, const char *name, joint **found)
{
    *found = NULL;
    for (size_t i = 0; i < r->joints.count; i++) {
        if (strcmp(r->joints.data[i].node->mName.data, name) != 0)
            continue;
        if (*found)
            return fail(r, "several nodes are called as the skin's joint \"%.80s\"", name);
        *found = &r->joints.data[i];
    }
    return *found || fail(r, "the skin's joint \"%.80s\" is no node", name);
}

/* ---- Skins ---- */

static double extent_of(const struct aiMesh *mesh, const sn_affine *place)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        double at[3] = {(double)mesh->mVertices[v].x, (double)mesh->mVertices[v].y,
                        (double)mesh->mVertices[v].z};
        sn_affine_apply(place, at, at);
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], at[d]);
            high[d] = fmax(high[d], at[d]);
        }
    }
    return fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
}

static double differs(const sn_affine *a, const sn_affine *b)
{
    double most = 0;
    for (int d = 0; d < 3; d++)
        most = fmax(most, fabs(a->row[d][3] - b->row[d][3]));
    return most;
}

static bool bind_joint(rig *r, const struct aiBone *bone, const sn_affine *place, joint **j)
{
    sn_affine offset = sn_assimp_affine(&bone->mOffsetMatrix), back;
    if (!find_joint(r, bone->mName.data, j))
        return false;
    if (!sn_affine_is_finite(&offset) || !sn_affine_invert(&offset, &back))
        return fail(r, "the inverse bind matrix of \"%.80s\" cannot be undone", bone->mName.data);
    back = sn_affine_after(place, &back);
    if ((*j)->is_bone)
        (*j)->bound_in_two =
            (*j)->bound_in_two || differs(&(*j)->bound, &back) > SAME_PLACE * r->size;
    else
        (*j)->bound = back;
    (*j)->is_bone = true;
    return true;
}

/* By vertices: the joint that moves it most. */
typedef struct {
    int64_t joint;
    float weight;
} mover;

static void find_movers(const rig *r, const struct aiMesh *mesh, const struct aiBone *bone,
                        const joint *j, mover *movers)
{
    for (unsigned w = 0; w < bone->mNumWeights; w++) {
        const struct aiVertexWeight *weight = &bone->mWeights[w];
        if (weight->mVertexId >= mesh->mNumVertices ||
            !(weight->mWeight > movers[weight->mVertexId].weight))
            continue;
        movers[weight->mVertexId] = (mover){j - r->joints.data, weight->mWeight};
    }
}

static void add_flesh(rig *r, const struct aiMesh *mesh, const sn_affine *place,
                      const mover *movers)
{
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        if (!(movers[v].weight > 0))
            continue;
        sn_import_vertex vertex = {.joint = movers[v].joint,
                                   .at = {(double)mesh->mVertices[v].x,
                                          (double)mesh->mVertices[v].y,
                                          (double)mesh->mVertices[v].z}};
        sn_affine_apply(place, vertex.at, vertex.at);
        sn_push(&r->flesh, vertex);
    }
}

static bool add_skin(rig *r, const struct aiMesh *mesh, const sn_affine *place)
{
    mover *movers = SN_NEW_ZERO(mover, mesh->mNumVertices);
    bool good = true;
    joint *j;
    r->size = fmax(r->size, extent_of(mesh, place));
    for (unsigned b = 0; b < mesh->mNumBones && good; b++) {
        good = bind_joint(r, mesh->mBones[b], place, &j);
        if (good)
            find_movers(r, mesh, mesh->mBones[b], j, movers);
    }
    if (good)
        add_flesh(r, mesh, place, movers);
    sn_free(movers);
    return good;
}

/* A skin is called as the node that shows it, or as its mesh. */
static bool is_asked_for(const rig *r, const struct aiNode *node, const struct aiMesh *mesh)
{
    return !r->skin[0] || strcmp(r->skin, node->mName.data) == 0 ||
           strcmp(r->skin, mesh->mName.data) == 0;
}

static bool add_skins_of(rig *r, const joint *j)
{
    for (unsigned m = 0; m < j->node->mNumMeshes; m++) {
        const struct aiMesh *mesh = r->scene->mMeshes[j->node->mMeshes[m]];
        if (mesh->mNumBones == 0)
            continue;
        if (m == 0)
            sn_name_list_add(&r->skins, j->node->mName.data);
        if (!is_asked_for(r, j->node, mesh))
            continue;
        struct aiMatrix4x4 matrix = sn_assimp_mesh_place(r->path, r->scene, mesh, &j->world);
        sn_affine place = sn_assimp_affine(&matrix);
        r->n_skinned++;
        if (!add_skin(r, mesh, &place))
            return false;
    }
    return true;
}

static bool add_skins(rig *r)
{
    for (size_t i = 0; i < r->joints.count; i++)
        if (!add_skins_of(r, &r->joints.data[i]))
            return false;
    if (r->n_skinned == 0 && r->skins.text[0])
        return fail(r, "it has no skin \"%.80s\"; it has: %s", r->skin, r->skins.text);
    if (r->n_skinned == 0)
        return fail(r, "it has no skin, and so no skeleton");
    for (size_t i = 0; i < r->joints.count; i++)
        if (r->joints.data[i].bound_in_two)
            return fail(r,
                        "its skins are bound to \"%.60s\" in two places; choose one of them with "
                        "`skin`: %.200s",
                        r->joints.data[i].node->mName.data, r->skins.text);
    return true;
}

/* ---- Animations ---- */

static bool choose_animation(rig *r, const char *name, bool needed)
{
    sn_name_list known = {{0}};
    for (unsigned a = 0; a < r->scene->mNumAnimations; a++) {
        r->animation = r->scene->mAnimations[a];
        if (!name[0] || strcmp(name, r->animation->mName.data) == 0)
            return true;
        sn_name_list_add(&known, r->animation->mName.data);
    }
    if (r->scene->mNumAnimations > 0)
        return fail(r, "it has no animation \"%.60s\"; it has: %.200s", name, known.text);
    return (!needed && !name[0]) || fail(r, "it has no animation");
}

static const struct aiNodeAnim *channel_of(const rig *r, const struct aiNode *node)
{
    for (unsigned c = 0; r->animation && c < r->animation->mNumChannels; c++)
        if (strcmp(r->animation->mChannels[c]->mNodeName.data, node->mName.data) == 0)
            return r->animation->mChannels[c];
    return NULL;
}

static double seconds_of(const rig *r, double ticks)
{
    double a_second = r->animation->mTicksPerSecond;
    return ticks / (a_second > 0 ? a_second : USUAL_TICKS);
}

static void add_row(track *t, double time, const double *row, size_t n)
{
    sn_push(&t->time, time);
    for (size_t i = 0; i < n; i++)
        sn_push(&t->value, row[i]);
}

static void add_vectors(const rig *r, const struct aiVectorKey *key, unsigned n, track *t)
{
    for (unsigned k = 0; k < n; k++) {
        const double row[3] = {(double)key[k].mValue.x, (double)key[k].mValue.y,
                               (double)key[k].mValue.z};
        add_row(t, seconds_of(r, key[k].mTime), row, 3);
    }
}

static void add_turns(const rig *r, const struct aiQuatKey *key, unsigned n, track *t)
{
    for (unsigned k = 0; k < n; k++) {
        const double row[4] = {(double)key[k].mValue.w, (double)key[k].mValue.x,
                               (double)key[k].mValue.y, (double)key[k].mValue.z};
        add_row(t, seconds_of(r, key[k].mTime), row, 4);
    }
}

/* Shift, turn and stretch, as three rows of width[k]. */
static void decompose(const struct aiMatrix4x4 *m, double row[SN_IMPORT_TRACKS][WIDTHS])
{
    struct aiVector3D shift, stretch;
    struct aiQuaternion turn;
    aiDecomposeMatrix(m, &stretch, &turn, &shift);
    const double rows[SN_IMPORT_TRACKS][WIDTHS] = {
        {(double)shift.x, (double)shift.y, (double)shift.z},
        {(double)turn.w, (double)turn.x, (double)turn.y, (double)turn.z},
        {(double)stretch.x, (double)stretch.y, (double)stretch.z}};
    memcpy(row, rows, sizeof rows);
}

/* What no key moves stays as it is in the node. */
static void fill_rest(const struct aiMatrix4x4 *m, track tracks[SN_IMPORT_TRACKS])
{
    double row[SN_IMPORT_TRACKS][WIDTHS];
    decompose(m, row);
    for (int k = 0; k < SN_IMPORT_TRACKS; k++)
        if (tracks[k].time.count == 0)
            add_row(&tracks[k], 0, row[k], width[k]);
}

static void fill_from_channel(const rig *r, const struct aiNodeAnim *c,
                              track tracks[SN_IMPORT_TRACKS])
{
    add_vectors(r, c->mPositionKeys, c->mNumPositionKeys, &tracks[0]);
    add_turns(r, c->mRotationKeys, c->mNumRotationKeys, &tracks[1]);
    add_vectors(r, c->mScalingKeys, c->mNumScalingKeys, &tracks[2]);
}

/* A chain of nodes is followed through all times at which any of them has a key. */

static void add_times(const track *from, track *times)
{
    for (size_t k = 0; k < from->time.count; k++)
        sn_push(&times->time, from->time.data[k]);
}

static int compare_reals(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void sort_times(track *times)
{
    size_t kept = 0;
    double *time = times->time.data;
    if (times->time.count > 0)
        qsort(time, times->time.count, sizeof *time, compare_reals);
    for (size_t k = 0; k < times->time.count; k++)
        if (kept == 0 || time[k] > time[kept - 1])
            time[kept++] = time[k];
    times->time.count = kept;
}

/* Linear; of turns nearly so between keys that are near, and exact on keys. */
static void row_at(const track *t, size_t n, double time, double *row)
{
    size_t k = 0, last = t->time.count - 1;
    while (k < last && t->time.data[k + 1] <= time)
        k++;
    const double *a = t->value.data + n * k, *b = k < last ? a + n : a;
    double from = t->time.data[k], length = k < last ? t->time.data[k + 1] - from : 0;
    double part = length > 0 ? fmin(fmax((time - from) / length, 0), 1) : 0, sign = 0;
    for (size_t i = 0; i < n; i++)
        sign += a[i] * b[i];
    sign = n == 4 && sign < 0 ? -1 : 1;
    for (size_t i = 0; i < n; i++)
        row[i] = a[i] + part * (sign * b[i] - a[i]);
}

static sn_affine matrix_at(const track tracks[SN_IMPORT_TRACKS], double time)
{
    double row[SN_IMPORT_TRACKS][WIDTHS];
    for (int k = 0; k < SN_IMPORT_TRACKS; k++)
        row_at(&tracks[k], width[k], time, row[k]);
    sn_quaternion turn = sn_quaternion_unit((sn_quaternion){row[1][0], sn_vec_load(row[1] + 1)});
    sn_affine m = sn_affine_rigid(turn, sn_vec_load(row[0]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m.row[i][j] *= row[2][j];
    return m;
}

static struct aiMatrix4x4 matrix_of(const sn_affine *m)
{
    const double(*r)[4] = m->row;
    return (struct aiMatrix4x4){(float)r[0][0],
                                (float)r[0][1],
                                (float)r[0][2],
                                (float)r[0][3],
                                (float)r[1][0],
                                (float)r[1][1],
                                (float)r[1][2],
                                (float)r[1][3],
                                (float)r[2][0],
                                (float)r[2][1],
                                (float)r[2][2],
                                (float)r[2][3],
                                0,
                                0,
                                0,
                                1};
}

static void free_tracks(track tracks[SN_IMPORT_TRACKS])
{
    for (int k = 0; k < SN_IMPORT_TRACKS; k++) {
        sn_vector_free(&tracks[k].time);
        sn_vector_free(&tracks[k].value);
    }
}

/* One node's part of the chain at each of the times. */
static void follow(const rig *r, const struct aiNode *node, const track *times, sn_affine *at)
{
    track own[SN_IMPORT_TRACKS] = {0};
    const struct aiNodeAnim *channel = channel_of(r, node);
    sn_affine still = sn_assimp_affine(&node->mTransformation);
    if (channel) {
        fill_from_channel(r, channel, own);
        fill_rest(&node->mTransformation, own);
    }
    for (size_t k = 0; k < times->time.count; k++) {
        sn_affine here = channel ? matrix_at(own, times->time.data[k]) : still;
        at[k] = sn_affine_after(&here, &at[k]);
    }
    free_tracks(own);
}

static void find_times(const rig *r, const joint *j, track *times)
{
    for (const struct aiNode *node = j->node;; node = node->mParent) {
        const struct aiNodeAnim *channel = channel_of(r, node);
        track own[SN_IMPORT_TRACKS] = {0};
        if (channel)
            fill_from_channel(r, channel, own);
        for (int k = 0; k < SN_IMPORT_TRACKS; k++)
            add_times(&own[k], times);
        free_tracks(own);
        if (node == j->first)
            break;
    }
    sort_times(times);
}

static void fill_from_chain(const rig *r, const joint *j, track tracks[SN_IMPORT_TRACKS])
{
    track times = {0};
    find_times(r, j, &times);
    sn_affine *at = SN_NEW(sn_affine, times.time.count);
    for (size_t k = 0; k < times.time.count; k++)
        at[k] = SN_IDENTITY;
    for (const struct aiNode *node = j->node;; node = node->mParent) {
        follow(r, node, &times, at);
        if (node == j->first)
            break;
    }
    for (size_t k = 0; k < times.time.count; k++) {
        double row[SN_IMPORT_TRACKS][WIDTHS];
        struct aiMatrix4x4 m = matrix_of(&at[k]);
        decompose(&m, row);
        for (int t = 0; t < SN_IMPORT_TRACKS; t++)
            add_row(&tracks[t], times.time.data[k], row[t], width[t]);
    }
    sn_free(at);
    sn_vector_free(&times.time);
}

static struct aiMatrix4x4 local_of(const joint *j)
{
    struct aiMatrix4x4 local = j->node->mTransformation;
    for (const struct aiNode *node = j->node; node != j->first;) {
        node = node->mParent;
        struct aiMatrix4x4 above = node->mTransformation;
        aiMultiplyMatrix4(&above, &local);
        local = above;
    }
    return local;
}

static void fill_tracks(const rig *r, const joint *j, track tracks[SN_IMPORT_TRACKS])
{
    const struct aiNodeAnim *channel = channel_of(r, j->node);
    if (channel) { /* that of the last node of a chain is of all of it */
        struct aiMatrix4x4 local = local_of(j);
        fill_from_channel(r, channel, tracks);
        fill_rest(&local, tracks);
    } else if (j->first != j->node) {
        fill_from_chain(r, j, tracks);
    }
}

/* ---- Out ---- */

static void send_joint(const rig *r, const joint *j)
{
    track tracks[SN_IMPORT_TRACKS] = {0};
    struct aiMatrix4x4 matrix = local_of(j);
    sn_affine local = sn_assimp_affine(&matrix);
    sn_import_joint head = {.parent = j->parent, .is_bone = j->is_bone};
    fill_tracks(r, j, tracks);
    head.name_bytes = strnlen(j->node->mName.data, SN_IMPORT_MOST_NAME);
    memcpy(head.local, local.row, sizeof head.local);
    memcpy(head.bound, j->bound.row, sizeof head.bound);
    for (int k = 0; k < SN_IMPORT_TRACKS; k++)
        head.n_keys[k] = tracks[k].time.count;
    sn_import_send(&head, sizeof head);
    sn_import_send(j->node->mName.data, head.name_bytes);
    for (int k = 0; k < SN_IMPORT_TRACKS; k++) {
        sn_import_send(tracks[k].time.data, tracks[k].time.count * sizeof(double));
        sn_import_send(tracks[k].value.data, tracks[k].value.count * sizeof(double));
    }
    free_tracks(tracks);
}

static void send_all(const rig *r)
{
    sn_import_rig_head head = {.n_joints = r->joints.count, .n_vertices = r->flesh.count};
    sn_import_send(&head, sizeof head);
    for (size_t i = 0; i < r->joints.count; i++)
        send_joint(r, &r->joints.data[i]);
    sn_import_send(r->flesh.data, r->flesh.count * sizeof *r->flesh.data);
}

void sn_import_send_problem(const char *problem)
{
    sn_import_rig_head head = {.message_bytes = strlen(problem)};
    sn_import_send(&head, sizeof head);
    sn_import_send(problem, head.message_bytes);
}

void sn_import_send_rig(const char *path, const struct aiScene *scene, const char *skin,
                        const char *animation, bool motion)
{
    rig r = {.path = path, .skin = skin, .scene = scene};
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    bool good = scene->mRootNode || fail(&r, "it has no nodes");
    good = good && add_joints(&r, scene->mRootNode, NULL, -1, &identity, 0);
    good = good && (motion || add_skins(&r));
    good = good && choose_animation(&r, animation, motion);
    if (good)
        send_all(&r);
    else
        sn_import_send_problem(r.problem);
}
