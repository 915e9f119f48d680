/* A glTF file's skin and nodes as a character's skeleton. */
#include "io/gltf/skin.h"
#include "io/motion/bind.h"
#include "io/motion/gltf.h"

/* So many vertices tell which flesh is whose, however often nodes show more of them. */
enum { MOST_SHOWN = 1 << 22, WEIGHTS = 4 };

typedef struct {
    sn_gltf gltf;
    sn_gltf_nodes nodes;
    size_t skin_index;
    sn_gltf_skin skin;
    sn_rig *rig;
    size_t n_shown; /* primitives and vertices that were looked at */
} reader;

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
    sn_binding binding = {r->skin.n, r->skin.joint, r->skin.rest};
    SN_TRY(sn_rig_bind(r->gltf.path, &binding, r->rig));
    for (size_t i = 0; i < r->nodes.count; i++)
        SN_TRY(add_node(r, r->nodes.data[i].index));
    return SN_OK;
}

sn_status sn_rig_read_gltf(const char *path, const char *skin, const char *animation, sn_rig *rig)
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
