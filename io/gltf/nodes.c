#include "io/gltf/nodes.h"

#include <stdio.h>
#include <string.h>

/* A node that is still to be listed. */
typedef struct {
    size_t index;
    int parent, level;
} visit;

typedef struct {
    const sn_gltf *gltf;
    sn_gltf_nodes *nodes;
    size_t n_nodes;
    bool *seen;
    SN_VECTOR(visit) waiting; /* the next one is the last */
} walk;

sn_status sn_gltf_node_object(const sn_gltf *gltf, size_t index, sn_gltf_object *object)
{
    sn_gltf_object root = sn_gltf_root(gltf);
    return sn_gltf_entry(gltf, &root, "nodes", index, object);
}

const char *sn_gltf_node_name(const sn_gltf_object *object)
{
    const char *name = sn_gltf_text(object, "name", "");
    return name[0] ? name : object->name;
}

static sn_status fail(const sn_gltf *g, const sn_gltf_object *of, const char *problem)
{
    return SN_FAIL(SN_BAD_INPUT, "%s: %s: %s", g->path, of->name, problem);
}

/* Columns of a 4x4 matrix, one after the other. */
static sn_status read_matrix(const sn_gltf *g, const sn_gltf_object *node, sn_affine *local)
{
    double m[16];
    SN_TRY(sn_gltf_reals(g, node, "matrix", 16, m));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++)
            local->row[i][j] = m[4 * j + i];
    return SN_OK;
}

static sn_status read_parts(const sn_gltf *g, const sn_gltf_object *node, sn_affine *local)
{
    double shift[3] = {0}, turn[4] = {0, 0, 0, 1}, stretch[3] = {1, 1, 1};
    SN_TRY(sn_gltf_reals(g, node, "translation", 3, shift));
    SN_TRY(sn_gltf_reals(g, node, "rotation", 4, turn));
    SN_TRY(sn_gltf_reals(g, node, "scale", 3, stretch));
    sn_quaternion unit = sn_quaternion_unit((sn_quaternion){turn[3], sn_vec_load(turn)});
    if (!isfinite(unit.w))
        return fail(g, node, "has a rotation without a length");
    *local = sn_affine_rigid(unit, sn_vec_load(shift));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            local->row[i][j] *= stretch[j];
    return SN_OK;
}

static sn_status read_local(const sn_gltf *g, const sn_gltf_object *node, sn_affine *local)
{
    SN_TRY(sn_gltf_member(node, "matrix") ? read_matrix(g, node, local)
                                          : read_parts(g, node, local));
    return sn_affine_is_finite(local) ? SN_OK : fail(g, node, "has a place that is not finite");
}

static sn_status child_at(const walk *w, const sn_gltf_object *of, const char *key, size_t i,
                          size_t *index)
{
    const sn_yaml *child = sn_gltf_member(of, key)->value[i];
    double real;
    if (!sn_gltf_real(child, &real) || !(real >= 0 && real < (double)w->n_nodes) ||
        real != floor(real))
        return SN_FAIL(SN_BAD_INPUT, "%s: %s: %s[%zu] is no node", w->gltf->path, of->name, key, i);
    *index = (size_t)real;
    return SN_OK;
}

/* The first child is the next to be listed. */
static sn_status add_children(walk *w, const sn_gltf_object *of, const char *key, int parent,
                              int level)
{
    for (size_t i = sn_gltf_count(of, key); i-- > 0;) {
        size_t index = 0;
        SN_TRY(child_at(w, of, key, i, &index));
        if (w->seen[index])
            return SN_FAIL(SN_BAD_INPUT, "%s: nodes[%zu] hangs in several places", w->gltf->path,
                           index);
        w->seen[index] = true;
        sn_push(&w->waiting, ((visit){index, parent, level}));
    }
    return SN_OK;
}

static sn_status list_next(walk *w)
{
    visit next = w->waiting.data[--w->waiting.count];
    sn_gltf_object object;
    sn_gltf_node node = {.index = next.index, .parent = next.parent};
    if (next.level == SN_GLTF_MOST_LEVELS)
        return SN_FAIL(SN_BAD_INPUT, "%s: its nodes are more than %d levels deep", w->gltf->path,
                       SN_GLTF_MOST_LEVELS);
    SN_TRY(sn_gltf_node_object(w->gltf, next.index, &object));
    SN_TRY(read_local(w->gltf, &object, &node.local));
    sn_push(w->nodes, node);
    return add_children(w, &object, "children", (int)w->nodes->count - 1, next.level + 1);
}

static sn_status list_all(walk *w)
{
    sn_gltf_object root = sn_gltf_root(w->gltf), scene;
    size_t index;
    SN_TRY(sn_gltf_index_or(w->gltf, &root, "scene", 0, &index));
    SN_TRY(sn_gltf_entry(w->gltf, &root, "scenes", index, &scene));
    SN_TRY(add_children(w, &scene, "nodes", -1, 0));
    while (w->waiting.count > 0)
        SN_TRY(list_next(w));
    return SN_OK;
}

sn_status sn_gltf_list_nodes(const sn_gltf *gltf, sn_gltf_nodes *nodes)
{
    sn_gltf_object root = sn_gltf_root(gltf);
    walk w = {.gltf = gltf, .nodes = nodes, .n_nodes = sn_gltf_count(&root, "nodes")};
    w.seen = SN_NEW_ZERO(bool, w.n_nodes);
    sn_status status = list_all(&w);
    sn_free(w.seen);
    sn_vector_free(&w.waiting);
    return status;
}
