/* Meshes of glTF files: the triangles of every mesh that a node of the scene shows. */
#include "io/gltf/skin.h"
#include "io/mesh/builder.h"
#include "io/mesh/formats.h"

/* Nodes may show one mesh many times, and a small file a mesh without end. So many vertices and
 * corners may be shown by any file, and so many more for each of its bytes: a vertex has at least
 * 12 of them, so that a whole file may be shown some two hundred times. */
enum { SHOWN_BY_ANY = 1 << 20, SHOWN_A_BYTE = 16, MOST_PRIMITIVES = 1 << 20 };

/* How the corners of a primitive are put together, as glTF numbers it. */
typedef enum { LIST_OF_TRIANGLES = 4, STRIP = 5, FAN = 6 } primitive_mode;

/* Where meshes with a skin stand, once it was asked for. */
typedef struct {
    bool is_read, is_good;
    sn_affine place;
} skin_place;

typedef struct {
    sn_gltf gltf;
    sn_mesh_builder builder;
    sn_gltf_nodes nodes;
    skin_place *skin;
    size_t n_skins, n_primitives; /* so many primitives were shown */
} reader;

/* What one primitive is made of. */
typedef struct {
    double *position;
    double *uv;      /* NULL: none */
    uint32_t *index; /* NULL: 0, 1, 2 ... */
    size_t n_positions, n_uvs, n_corners, mode;
} primitive;

static void free_primitive(primitive *p)
{
    sn_free(p->position);
    sn_free(p->uv);
    sn_free(p->index);
}

/* Textures say nothing about the shape: an accessor of another length is left out. */
static sn_status fill_uvs(reader *r, const sn_gltf_object *attributes, primitive *p)
{
    size_t accessor;
    if (!sn_gltf_member(attributes, "TEXCOORD_0"))
        return SN_OK;
    SN_TRY(sn_gltf_index(&r->gltf, attributes, "TEXCOORD_0", &accessor));
    SN_TRY(sn_gltf_numbers(&r->gltf, accessor, 2, &p->uv, &p->n_uvs));
    if (p->n_uvs == p->n_positions)
        return SN_OK;
    sn_free(p->uv);
    p->uv = NULL;
    return SN_OK;
}

static sn_status fill_primitive(reader *r, const sn_gltf_object *object, primitive *p)
{
    sn_gltf_object attributes;
    size_t accessor;
    SN_TRY(sn_gltf_child(&r->gltf, object, "attributes", &attributes));
    SN_TRY(sn_gltf_index(&r->gltf, &attributes, "POSITION", &accessor));
    SN_TRY(sn_gltf_numbers(&r->gltf, accessor, 3, &p->position, &p->n_positions));
    SN_TRY(fill_uvs(r, &attributes, p));
    p->n_corners = p->n_positions;
    if (!sn_gltf_member(object, "indices"))
        return SN_OK;
    SN_TRY(sn_gltf_index(&r->gltf, object, "indices", &accessor));
    return sn_gltf_indices(&r->gltf, accessor, &p->index, &p->n_corners);
}

static size_t most_shown(const sn_gltf *gltf)
{
    size_t bytes = gltf->file.bytes;
    for (size_t b = 0; b < gltf->buffers.count; b++)
        if (gltf->buffers.data[b].owned)
            bytes += gltf->buffers.data[b].file.bytes;
    return SHOWN_BY_ANY + SHOWN_A_BYTE * bytes;
}

static sn_status check_shown(const reader *r, const primitive *p)
{
    size_t most = most_shown(&r->gltf);
    if (p->n_positions <= most - r->builder.vertex.count &&
        p->n_corners <= (most - r->builder.corner.count) / 3)
        return SN_OK;
    return SN_FAIL(SN_BAD_INPUT, "%s: its nodes show more than %zu vertices or corners",
                   r->gltf.path, most);
}

static sn_status add_positions(reader *r, const primitive *p, const sn_affine *to_world)
{
    for (size_t v = 0; v < p->n_positions; v++) {
        double xyz[3];
        sn_affine_apply(to_world, p->position + 3 * v, xyz);
        SN_TRY(sn_mesh_builder_vertex(&r->builder, 0, xyz));
    }
    return SN_OK;
}

/* glTF counts v downwards. Returns what the first row is called. */
static size_t add_uvs(reader *r, const primitive *p)
{
    size_t first_uv = r->builder.uv.count;
    for (size_t v = 0; p->uv && v < p->n_positions; v++)
        sn_mesh_builder_uv(&r->builder, (double[]){p->uv[2 * v], 1 - p->uv[2 * v + 1]});
    return first_uv;
}

/* Where a primitive's rows start in the builder. */
typedef struct {
    size_t vertex, uv;
} rows;

/* Three corners, by their places among the primitive's. A mirror image turns its faces inside out:
 * turn them back. */
static sn_status add_triangle(reader *r, const primitive *p, const rows *first, size_t a, size_t b,
                              size_t c, bool mirrored)
{
    size_t at[3] = {a, mirrored ? c : b, mirrored ? b : c};
    SN_TRY(sn_mesh_builder_face(&r->builder, 0));
    for (int i = 0; i < 3; i++) {
        size_t vertex = p->index ? p->index[at[i]] : at[i];
        if (vertex >= p->n_positions)
            return SN_FAIL(SN_BAD_INPUT, "%s: face %zu uses vertex %zu of a mesh that has only %zu",
                           r->gltf.path, r->builder.face.count, vertex, p->n_positions);
        SN_TRY(sn_mesh_builder_corner(&r->builder, 0, (int64_t)(first->vertex + vertex)));
        if (p->uv)
            sn_mesh_builder_uv_corner(&r->builder, (int64_t)(first->uv + vertex));
    }
    return SN_OK;
}

static sn_status add_triangles(reader *r, const primitive *p, const rows *first, bool mirrored)
{
    size_t step = p->mode == LIST_OF_TRIANGLES ? 3 : 1;
    for (size_t i = 0; i + 2 < p->n_corners; i += step) {
        /* Every other triangle of a strip goes the other way round. */
        bool odd = p->mode == STRIP && i % 2 == 1;
        size_t a = p->mode == FAN ? 0 : i;
        SN_TRY(add_triangle(r, p, first, a, i + 1, i + 2, mirrored != odd));
    }
    return SN_OK;
}

static sn_status show_primitive(reader *r, const primitive *p, const sn_affine *to_world)
{
    rows first = {.vertex = r->builder.vertex.count};
    SN_TRY(check_shown(r, p));
    SN_TRY(add_positions(r, p, to_world));
    first.uv = add_uvs(r, p);
    return add_triangles(r, p, &first, sn_affine_determinant(to_world) < 0);
}

/* Points and lines are not part of a surface. */
static sn_status add_primitive(reader *r, const sn_gltf_object *object, const sn_affine *to_world)
{
    primitive p = {0};
    if (++r->n_primitives > MOST_PRIMITIVES)
        return SN_FAIL(SN_BAD_INPUT, "%s: its nodes show more than %d primitives", r->gltf.path,
                       MOST_PRIMITIVES);
    SN_TRY(sn_gltf_index_or(&r->gltf, object, "mode", LIST_OF_TRIANGLES, &p.mode));
    if (p.mode < LIST_OF_TRIANGLES)
        return SN_OK;
    if (p.mode > FAN)
        return SN_FAIL(SN_BAD_INPUT, "%s: %s: unknown mode %zu", r->gltf.path, object->name,
                       p.mode);
    sn_status status = fill_primitive(r, object, &p);
    if (status == SN_OK)
        status = show_primitive(r, &p, to_world);
    free_primitive(&p);
    return status;
}

static sn_status add_mesh(reader *r, size_t index, const sn_affine *to_world)
{
    sn_gltf_object root = sn_gltf_root(&r->gltf), mesh, object;
    SN_TRY(sn_gltf_entry(&r->gltf, &root, "meshes", index, &mesh));
    for (size_t i = 0; i < sn_gltf_count(&mesh, "primitives"); i++) {
        SN_TRY(sn_gltf_entry(&r->gltf, &mesh, "primitives", i, &object));
        SN_TRY(add_primitive(r, &object, to_world));
    }
    return SN_OK;
}

/* A mesh with a skin stands where its joints have it, at rest, not where its node is. Of a skin
 * that is no good nothing is known: who asks for its joints is told. */
static const sn_affine *place_by_skin(reader *r, size_t index, const sn_affine *to_world)
{
    skin_place *known = index < r->n_skins ? &r->skin[index] : NULL;
    sn_gltf_skin skin;
    if (known && !known->is_read) {
        known->is_read = true;
        known->is_good = sn_gltf_read_skin(&r->gltf, &r->nodes, index, &skin) == SN_OK;
        if (known->is_good) {
            known->place = skin.place;
            sn_gltf_skin_free(&skin);
        }
    }
    return known && known->is_good ? &known->place : to_world;
}

static sn_status add_node(reader *r, const sn_gltf_node *node, const sn_affine *to_world)
{
    sn_gltf_object object;
    size_t mesh, skin;
    SN_TRY(sn_gltf_node_object(&r->gltf, node->index, &object));
    if (!sn_gltf_member(&object, "mesh"))
        return SN_OK;
    SN_TRY(sn_gltf_index(&r->gltf, &object, "mesh", &mesh));
    if (sn_gltf_member(&object, "skin")) {
        SN_TRY(sn_gltf_index(&r->gltf, &object, "skin", &skin));
        to_world = place_by_skin(r, skin, to_world);
    }
    return add_mesh(r, mesh, to_world);
}

static sn_status add_nodes(reader *r)
{
    const sn_gltf_nodes *nodes = &r->nodes;
    sn_affine *to_world = SN_NEW(sn_affine, nodes->count);
    sn_status status = SN_OK;
    for (size_t i = 0; i < nodes->count && status == SN_OK; i++) {
        const sn_gltf_node *node = &nodes->data[i];
        const sn_affine *parent = node->parent < 0 ? &SN_IDENTITY : &to_world[node->parent];
        to_world[i] = sn_affine_after(parent, &node->local);
        status = add_node(r, node, &to_world[i]);
    }
    sn_free(to_world);
    return status;
}

static sn_status read_all(reader *r)
{
    sn_gltf_object root = sn_gltf_root(&r->gltf);
    SN_TRY(sn_gltf_list_nodes(&r->gltf, &r->nodes));
    r->n_skins = sn_gltf_count(&root, "skins");
    r->skin = SN_NEW_ZERO(skin_place, r->n_skins);
    return add_nodes(r);
}

sn_status sn_mesh_read_gltf(const char *path, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    reader r = {.builder = sn_mesh_builder_open(path, SN_PLACE_NONE, 0)};
    SN_TRY(sn_gltf_open(path, &r.gltf));
    sn_status status = read_all(&r);
    sn_free(r.skin);
    sn_vector_free(&r.nodes);
    sn_gltf_close(&r.gltf);
    if (status == SN_OK)
        sn_mesh_builder_weld_split(&r.builder);
    return sn_mesh_builder_finish(&r.builder, status, mesh);
}
