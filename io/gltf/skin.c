#include "io/gltf/skin.h"

#include "io/text/name_list.h"

#include <string.h>

/* A mesh may name a skin of its own in every node, and every skin all matrices of the file: their
 * product stays small. Characters have some hundred joints, and crowds are not read from one file.
 */
enum { MOST_SKINS = 1024, MOST_JOINTS = 16384 };

static sn_status fail(const sn_gltf *g, const sn_gltf_object *of, const char *problem)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: %s %s", g->path, of->name, problem);
}

sn_status sn_gltf_choose_skin(const sn_gltf *g, const char *name, size_t *index)
{
    sn_gltf_object root = sn_gltf_root(g), skin;
    sn_name_list known = {{0}};
    size_t n = sn_gltf_count(&root, "skins");
    for (*index = 0; *index < n; ++*index) {
        SN_TRY(sn_gltf_entry(g, &root, "skins", *index, &skin));
        const char *this_name = sn_gltf_text(&skin, "name", skin.name);
        if (name ? strcmp(name, this_name) == 0 : n == 1)
            return SN_OK;
        sn_name_list_add(&known, this_name);
    }
    if (n == 0)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no skin, and so no skeleton", g->path);
    if (name)
        return SN_FAIL(SN_BAD_INPUT, "%s: has no skin \"%.80s\"; it has: %s", g->path, name,
                       known.text);
    return SN_FAIL(SN_BAD_INPUT, "%s: has %zu skins; choose one of them with `skin`: %s", g->path,
                   n, known.text);
}

/* By number, where each node is in the list, or -1. The caller frees them. */
static int *places_of_nodes(const sn_gltf_nodes *nodes, size_t n)
{
    int *place = SN_NEW(int, n);
    for (size_t i = 0; i < n; i++)
        place[i] = -1;
    for (size_t i = 0; i < nodes->count; i++)
        place[nodes->data[i].index] = (int)i;
    return place;
}

static sn_status find_joints(const sn_gltf *g, const sn_gltf_nodes *nodes,
                             const sn_gltf_object *object, sn_gltf_skin *skin)
{
    sn_gltf_object root = sn_gltf_root(g);
    size_t n_nodes = sn_gltf_count(&root, "nodes");
    bool *seen = SN_NEW_ZERO(bool, nodes->count);
    int *place = places_of_nodes(nodes, n_nodes);
    sn_status status = SN_OK;
    for (size_t i = 0; i < skin->n && status == SN_OK; i++) {
        double real = -1;
        const sn_yaml *entry = sn_gltf_member(object, "joints")->value[i];
        bool whole = sn_gltf_real(entry, &real) && real >= 0 && real < (double)n_nodes;
        int joint = whole ? place[(size_t)real] : -1;
        skin->joint[i] = joint;
        if (joint < 0)
            status = SN_FAIL(SN_BAD_INPUT,
                             "%s: %s: joints[%zu] is no node of the scene, or hangs on itself",
                             g->path, object->name, i);
        else if (seen[joint])
            status = SN_FAIL(SN_BAD_INPUT, "%s: %s: joints[%zu] is there twice", g->path,
                             object->name, i);
        else
            seen[joint] = true;
    }
    sn_free(seen);
    sn_free(place);
    return status;
}

/* Columns of a 4x4 matrix, one after the other. */
static sn_affine affine_of(const double *m)
{
    sn_affine map;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            map.row[i][j] = m[4 * j + i];
    return map;
}

/* More matrices than joints are allowed, but nobody has that many. */
static sn_status check_rows(const sn_gltf *g, size_t accessor)
{
    sn_gltf_object root = sn_gltf_root(g), object;
    size_t rows;
    SN_TRY(sn_gltf_entry(g, &root, "accessors", accessor, &object));
    SN_TRY(sn_gltf_index(g, &object, "count", &rows));
    return rows <= MOST_JOINTS ? SN_OK : fail(g, &object, "has too many matrices for a skin");
}

static sn_status read_binds(sn_gltf *g, const sn_gltf_object *object, const sn_gltf_skin *skin,
                            sn_affine *bind)
{
    size_t accessor, n = 0;
    double *number;
    if (!sn_gltf_member(object, "inverseBindMatrices"))
        return fail(g, object, "has no inverseBindMatrices: where its joints rest cannot be told");
    SN_TRY(sn_gltf_index(g, object, "inverseBindMatrices", &accessor));
    SN_TRY(check_rows(g, accessor));
    SN_TRY(sn_gltf_numbers(g, accessor, 16, &number, &n));
    for (size_t i = 0; i < n && i < skin->n; i++)
        bind[i] = affine_of(number + 16 * i);
    sn_free(number);
    if (n >= skin->n)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: %s: expected %zu inverse bind matrices, got %zu", g->path,
                   object->name, skin->n, n);
}

/* Where a node is when nothing moves. */
static sn_affine pose_of(const sn_gltf_nodes *nodes, int node)
{
    sn_affine pose = nodes->data[node].local;
    while ((node = nodes->data[node].parent) >= 0)
        pose = sn_affine_after(&nodes->data[node].local, &pose);
    return pose;
}

static size_t topmost(const sn_gltf_skin *skin)
{
    size_t top = 0;
    for (size_t i = 1; i < skin->n; i++)
        top = skin->joint[i] < skin->joint[top] ? i : top;
    return top;
}

static sn_status place_joints(const sn_gltf *g, const sn_gltf_nodes *nodes,
                              const sn_gltf_object *object, const sn_affine *bind,
                              sn_gltf_skin *skin)
{
    size_t top = topmost(skin);
    sn_affine pose = pose_of(nodes, skin->joint[top]), back;
    skin->place = sn_affine_after(&pose, &bind[top]);
    for (size_t i = 0; i < skin->n; i++) {
        if (!sn_affine_is_finite(&bind[i]) || !sn_affine_invert(&bind[i], &back))
            return SN_FAIL(SN_BAD_INPUT, "%s: %s: inverse bind matrix %zu cannot be undone",
                           g->path, object->name, i);
        skin->rest[i] = sn_affine_after(&skin->place, &back);
    }
    if (!sn_affine_is_finite(&skin->place) || !sn_affine_invert(&skin->place, &back))
        return fail(g, object, "has a topmost joint that flattens space");
    return SN_OK;
}

static sn_status fill(sn_gltf *g, const sn_gltf_nodes *nodes, const sn_gltf_object *object,
                      sn_gltf_skin *skin)
{
    sn_affine *bind = SN_NEW_ZERO(sn_affine, skin->n);
    sn_status status = find_joints(g, nodes, object, skin);
    if (status == SN_OK)
        status = read_binds(g, object, skin, bind);
    if (status == SN_OK)
        status = place_joints(g, nodes, object, bind, skin);
    sn_free(bind);
    return status;
}

sn_status sn_gltf_read_skin(sn_gltf *g, const sn_gltf_nodes *nodes, size_t index,
                            sn_gltf_skin *skin)
{
    sn_gltf_object root = sn_gltf_root(g), object;
    SN_TRY(sn_gltf_entry(g, &root, "skins", index, &object));
    *skin = (sn_gltf_skin){.n = sn_gltf_count(&object, "joints")};
    if (skin->n == 0)
        return fail(g, &object, "has no joints");
    if (skin->n > MOST_JOINTS || index >= MOST_SKINS)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s: more than %d skins, or more than %d joints", g->path,
                       object.name, MOST_SKINS, MOST_JOINTS);
    skin->joint = SN_NEW_ZERO(int, skin->n);
    skin->rest = SN_NEW_ZERO(sn_affine, skin->n);
    sn_status status = fill(g, nodes, &object, skin);
    if (status != SN_OK)
        sn_gltf_skin_free(skin);
    return status;
}

void sn_gltf_skin_free(sn_gltf_skin *skin)
{
    sn_free(skin->joint);
    sn_free(skin->rest);
    *skin = (sn_gltf_skin){0};
}
