#include "io/mesh/builder.h"
#include "io/mesh/formats.h"
#include "io/text/whole_file.h"

#include <assimp/cimport.h>
#include <assimp/scene.h>

static void transform(const struct aiMatrix4x4 *m, const struct aiVector3D *v, double out[3])
{
    double x = (double)v->x, y = (double)v->y, z = (double)v->z;
    out[0] = (double)m->a1 * x + (double)m->a2 * y + (double)m->a3 * z + (double)m->a4;
    out[1] = (double)m->b1 * x + (double)m->b2 * y + (double)m->b3 * z + (double)m->b4;
    out[2] = (double)m->c1 * x + (double)m->c2 * y + (double)m->c3 * z + (double)m->c4;
}

/* Points and lines are not part of a surface. */
static sn_status add_face(sn_mesh_builder *builder, const struct aiFace *face, int64_t first_vertex,
                          bool mirrored)
{
    if (face->mNumIndices < 3)
        return SN_OK;
    SN_TRY(sn_mesh_builder_face(builder, 0));
    for (unsigned i = 0; i < face->mNumIndices; i++) {
        /* A mirror image turns its faces inside out: turn them back. */
        unsigned from = mirrored ? face->mNumIndices - 1 - i : i;
        SN_TRY(sn_mesh_builder_corner(builder, 0, first_vertex + face->mIndices[from]));
    }
    return SN_OK;
}

static sn_status add_mesh(sn_mesh_builder *builder, const struct aiMesh *mesh,
                          const struct aiMatrix4x4 *to_world)
{
    int64_t first_vertex = (int64_t)builder->vertex.count;
    for (unsigned v = 0; v < mesh->mNumVertices; v++) {
        double xyz[3];
        transform(to_world, &mesh->mVertices[v], xyz);
        SN_TRY(sn_mesh_builder_vertex(builder, 0, xyz));
    }
    bool mirrored = aiMatrix4Determinant(to_world) < 0;
    for (unsigned f = 0; f < mesh->mNumFaces; f++)
        SN_TRY(add_face(builder, &mesh->mFaces[f], first_vertex, mirrored));
    return SN_OK;
}

static sn_status add_node(sn_mesh_builder *builder, const struct aiScene *scene,
                          const struct aiNode *node, const struct aiMatrix4x4 *parent_to_world)
{
    struct aiMatrix4x4 to_world = *parent_to_world;
    aiMultiplyMatrix4(&to_world, &node->mTransformation);
    for (unsigned m = 0; m < node->mNumMeshes; m++)
        SN_TRY(add_mesh(builder, scene->mMeshes[node->mMeshes[m]], &to_world));
    for (unsigned c = 0; c < node->mNumChildren; c++)
        SN_TRY(add_node(builder, scene, node->mChildren[c], &to_world));
    return SN_OK;
}

sn_status sn_mesh_read_assimp(const char *path, sn_mesh *mesh)
{
    *mesh = (sn_mesh){0};
    SN_TRY(sn_whole_file_check(path));
    const struct aiScene *scene = aiImportFile(path, 0);
    if (!scene)
        return SN_FAIL(SN_BAD_INPUT, "%s: cannot read the mesh: %s", path, aiGetErrorString());
    sn_mesh_builder builder = sn_mesh_builder_open(path, SN_PLACE_NONE, 0);
    struct aiMatrix4x4 identity;
    aiIdentityMatrix4(&identity);
    sn_status status = SN_OK;
    if (scene->mRootNode)
        status = add_node(&builder, scene, scene->mRootNode, &identity);
    aiReleaseImport(scene);
    if (status == SN_OK)
        sn_mesh_builder_weld(&builder);
    return sn_mesh_builder_finish(&builder, status, mesh);
}
