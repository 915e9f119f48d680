#include "io/mesh/assimp_scene.h"

#include "io/mesh/regular_files.h"

#include <string.h>
#include <strings.h>

const struct aiScene *sn_assimp_open(const char *path)
{
    static struct aiFileIO files; /* Assimp keeps its address */
    files = sn_regular_files();
    return aiImportFileEx(path, 0, &files);
}

sn_affine sn_assimp_affine(const struct aiMatrix4x4 *m)
{
    return (sn_affine){{{(double)m->a1, (double)m->a2, (double)m->a3, (double)m->a4},
                        {(double)m->b1, (double)m->b2, (double)m->b3, (double)m->b4},
                        {(double)m->c1, (double)m->c2, (double)m->c3, (double)m->c4}}};
}

static const struct aiBone *bone_called(const struct aiMesh *mesh, const char *name)
{
    for (unsigned b = 0; b < mesh->mNumBones; b++)
        if (strcmp(mesh->mBones[b]->mName.data, name) == 0)
            return mesh->mBones[b];
    return NULL;
}

/* The bone whose node comes first, parents before children, and where that node is. */
static const struct aiBone *top_bone(const struct aiMesh *mesh, const struct aiNode *node,
                                     const struct aiMatrix4x4 *parent, struct aiMatrix4x4 *at)
{
    struct aiMatrix4x4 here = *parent;
    aiMultiplyMatrix4(&here, &node->mTransformation);
    *at = here;
    const struct aiBone *bone = bone_called(mesh, node->mName.data);
    for (unsigned c = 0; c < node->mNumChildren && !bone; c++)
        bone = top_bone(mesh, node->mChildren[c], &here, at);
    return bone;
}

static bool is_fbx(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".fbx") == 0;
}

struct aiMatrix4x4 sn_assimp_mesh_place(const char *path, const struct aiScene *scene,
                                        const struct aiMesh *mesh,
                                        const struct aiMatrix4x4 *node_to_world)
{
    struct aiMatrix4x4 identity, place;
    if (mesh->mNumBones == 0 || is_fbx(path))
        return *node_to_world;
    aiIdentityMatrix4(&identity);
    const struct aiBone *top = top_bone(mesh, scene->mRootNode, &identity, &place);
    if (!top)
        return *node_to_world;
    aiMultiplyMatrix4(&place, &top->mOffsetMatrix);
    return place;
}
